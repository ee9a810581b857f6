#include "bench/failure_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <cerrno>

namespace rdmabench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(FailureText, OfACompletionHasStatusNumberWordsQueuePairAndVendorError) {
  const Error error = DescribeFailure({.what = Failure::What::kCompletion,
                                       .code = IBV_WC_RETRY_EXC_ERR,
                                       .qpn = 0x11,
                                       .vendor_error = 0x81});
  EXPECT_THAT(error.what(), AllOf(HasSubstr("status 12"), HasSubstr("0x11"), HasSubstr("0x81")));
  EXPECT_THAT(error.remedy(), AllOf(HasSubstr("GID"), HasSubstr("MTU"), HasSubstr("4791")));
  EXPECT_EQ(error.blame(), Blame::kRun);
}

TEST(FailureText, IsOfARowOfTheCatalogue) {
  EXPECT_EQ(
      DescribeFailure({.what = Failure::What::kCompletion, .code = IBV_WC_WR_FLUSH_ERR}).entry(),
      "IBV_WC_WR_FLUSH_ERR");
  EXPECT_EQ(DescribeFailure({.what = Failure::What::kPost, .code = ENOMEM}).entry(),
            "ibv_post_send ENOMEM");
  EXPECT_EQ(DescribeFailure({.what = Failure::What::kReceive, .code = EINVAL}).entry(),
            "ibv_post_recv EINVAL");
  EXPECT_EQ(DescribeFailure({.what = Failure::What::kPoll, .code = -1}).entry(), "EIO");
}

TEST(FailureText, OfAPostHasTheSystemsWords) {
  const Error error = DescribeFailure({.what = Failure::What::kPost, .code = ENOMEM, .qpn = 0x2a});
  EXPECT_THAT(error.what(), AllOf(HasSubstr("0x2a"), HasSubstr("Cannot allocate memory")));
}

}  // namespace
}  // namespace rdmabench
