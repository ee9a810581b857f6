#include "transport/call_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace rdmabench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

TEST(CallError, SaysWhatTheSystemSaidAndWhatItMeansThere) {
  EXPECT_THAT([] { ThrowCall("ibv_create_ah", EHOSTUNREACH, {.attempted = "cannot make it"}); },
              Throws<Error>(AllOf(
                  Property(&Error::what, HasSubstr("cannot make it: No route to host: the peer's")),
                  Property(&Error::remedy, HasSubstr("ip neigh")),
                  Property(&Error::entry, "ibv_create_ah EHOSTUNREACH"),
                  Property(&Error::blame, Blame::kEnvironment))));
}

TEST(CallError, HasTheSystemsWordsAloneWhereTheCatalogueHasNone) {
  EXPECT_THAT(
      [] { ThrowCall("ibv_create_ah", EXDEV, {.attempted = "cannot make it"}); },
      Throws<Error>(
          AllOf(Property(&Error::what, testing::StrEq("cannot make it: Invalid cross-device link")),
                Property(&Error::entry, ""))));
}

TEST(CallError, PrefersTheRemedyOfWhoKnowsMore) {
  EXPECT_THAT(
      [] { ThrowCall("ibv_reg_mr", EINVAL, {.attempted = "no", .remedy = "use --memory host"}); },
      Throws<Error>(AllOf(Property(&Error::remedy, "use --memory host"),
                          Property(&Error::entry, "ibv_reg_mr EINVAL"))));
}

TEST(CallError, HandsOnAPointer) {
  int object = 0;
  EXPECT_EQ(CheckCall(&object, "ibv_create_qp", {.attempted = "no"}), &object);
}

}  // namespace
}  // namespace rdmabench
