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

TEST(MemlockRemedy, NamesLimitNeedAndRemedy) {
  EXPECT_THAT(MemlockRemedy(kLow, 64 * kMib, ENOMEM),
              AllOf(HasSubstr("8192 KiB"), HasSubstr("65536 KiB"), HasSubstr("ulimit -l unlimited"),
                    HasSubstr("LimitMEMLOCK=infinity")));
}

TEST(MemlockRemedy, SuspectsALowLimitWithoutKnowingTheNeed) {
  EXPECT_THAT(MemlockRemedy(kLow, 0, ENOMEM), HasSubstr("8192 KiB"));
}

TEST(MemlockRemedy, SuspectsALimitOfZeroBehindEperm) {
  const MemlockLimit none{.bytes = 0, .privileged = false};
  EXPECT_THAT(MemlockRemedy(none, kMib, EPERM), HasSubstr("0 KiB"));
}

TEST(MemlockRemedy, DoesNotSuspectItOfOtherErrors) {
  EXPECT_THAT(MemlockRemedy(kLow, 64 * kMib, EINVAL), IsEmpty());
}

TEST(MemlockRemedy, DoesNotSuspectItWithPrivilege) {
  const MemlockLimit limit{.bytes = kMib, .privileged = true};
  EXPECT_THAT(MemlockRemedy(limit, 64 * kMib, ENOMEM), IsEmpty());
}

TEST(MemlockRemedy, DoesNotSuspectItWithoutALimit) {
  EXPECT_THAT(MemlockRemedy({}, 64 * kMib, ENOMEM), IsEmpty());
}

TEST(MemlockRemedy, DoesNotSuspectALimitFarAboveTheNeed) {
  const MemlockLimit high{.bytes = 1024 * kMib, .privileged = false};
  EXPECT_THAT(MemlockRemedy(high, kMib, ENOMEM), IsEmpty());
}

}  // namespace
}  // namespace rdmabench
