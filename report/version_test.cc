#include "report/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rdmabench {
namespace {

using ::testing::MatchesRegex;

TEST(Version, HasThreeNumbers) {
  EXPECT_THAT(std::string(kVersion), MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(Version, NamesTheCommitOrSaysThatItIsUnknown) {
  EXPECT_THAT(std::string(BuildCommit()), MatchesRegex("unknown|[0-9a-f]{7,40}(-dirty)?"));
}

}  // namespace
}  // namespace rdmabench
