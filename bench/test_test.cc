#include "bench/test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(FindTest, NamesTheNearestWhenAskedForAnother) {
  EXPECT_THAT([] { FindTest("wirte_bw"); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("unknown test 'wirte_bw'"), HasSubstr("did you mean write_bw"))));
}

TEST(FindTest, ListsTheKnownOnesAsTheRemedy) {
  try {
    FindTest("nothing_like_it");
    FAIL() << "it was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kUsage);
    for (const rdmabench::Test& test : Tests()) EXPECT_THAT(error.remedy(), HasSubstr(test.name));
  }
}

}  // namespace
}  // namespace rdmabench
