#include "transport/memlock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
constexpr MemlockLimit kLow{.bytes = 8 * kMib, .privileged = false};

TEST(MemlockEvidence, NamesLimitAndNeed) {
  EXPECT_THAT(MemlockEvidence(kLow, 64 * kMib, ENOMEM),
              AllOf(HasSubstr("8192 KiB"), HasSubstr("65536 KiB"), HasSubstr("ulimit -l")));
}

TEST(MemlockEvidence, SuspectsALowLimitWithoutKnowingTheNeed) {
  EXPECT_THAT(MemlockEvidence(kLow, 0, ENOMEM), HasSubstr("8192 KiB"));
}

TEST(MemlockEvidence, SuspectsALimitOfZeroBehindEperm) {
  const MemlockLimit none{.bytes = 0, .privileged = false};
  EXPECT_THAT(MemlockEvidence(none, kMib, EPERM), HasSubstr("0 KiB"));
}

TEST(MemlockEvidence, DoesNotSuspectItOfOtherErrors) {
  EXPECT_THAT(MemlockEvidence(kLow, 64 * kMib, EINVAL), IsEmpty());
}

TEST(MemlockEvidence, DoesNotSuspectItWithPrivilege) {
  const MemlockLimit limit{.bytes = kMib, .privileged = true};
  EXPECT_THAT(MemlockEvidence(limit, 64 * kMib, ENOMEM), IsEmpty());
}

TEST(MemlockEvidence, DoesNotSuspectItWithoutALimit) {
  EXPECT_THAT(MemlockEvidence({}, 64 * kMib, ENOMEM), IsEmpty());
}

TEST(MemlockEvidence, DoesNotSuspectALimitFarAboveTheNeed) {
  const MemlockLimit high{.bytes = 1024 * kMib, .privileged = false};
  EXPECT_THAT(MemlockEvidence(high, kMib, ENOMEM), IsEmpty());
}

}  // namespace
}  // namespace rdmabench
