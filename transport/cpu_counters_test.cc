#include "transport/cpu_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <array>
#include <atomic>

namespace rdmabench {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

void Work() {
  std::atomic<int> sum = 0;
  for (int i = 0; i < 1'000'000; ++i) sum.fetch_add(i, std::memory_order_relaxed);
}

CpuCounts CountsOf(std::span<const CpuEvent> events, const auto& work) {
  CpuCounters counters(events);
  counters.Start();
  work();
  return counters.Stop();
}

// What is there depends on the machine: but it is there, or the reason is.
void ExpectCountOrReason(const CpuCounts& counts) {
  for (const std::optional<std::uint64_t>& count : counts.events) {
    EXPECT_TRUE(count.has_value() || !counts.why_not.empty());
  }
}

// One that the kernel counts by itself, so that a virtual machine has it, too.
constexpr std::array kTaskClock = {
    CpuEvent{"task_ns", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false}};

TEST(CpuCounters, CountWhatWasDoneSinceTheStart) {
  const CpuCounts idle = CountsOf(kTaskClock, [] {});
  const CpuCounts busy = CountsOf(kTaskClock, Work);
  ASSERT_THAT(busy.events, SizeIs(1));
  ExpectCountOrReason(busy);
  if (busy.events[0] && idle.events[0]) {
    EXPECT_GT(*busy.events[0], *idle.events[0]);
    EXPECT_THAT(busy.why_not, IsEmpty());
  }
}

TEST(CpuCounters, SayWhichEventIsNotThereAndWhy) {
  constexpr std::array kUnknown = {CpuEvent{"no_event", PERF_TYPE_SOFTWARE, 0xffff, false}};
  const CpuCounts counts = CountsOf(kUnknown, Work);
  ASSERT_THAT(counts.events, SizeIs(1));
  EXPECT_FALSE(counts.events[0]);
  EXPECT_THAT(counts.why_not, HasSubstr("no_event: "));
}

TEST(CpuCounters, HaveCyclesAndInstructionsOrTheReason) {
  const CpuCounts counts = CountsOf(CpuEvents(), Work);
  EXPECT_THAT(counts.events, SizeIs(CpuEvents().size()));
  ExpectCountOrReason(counts);
}

}  // namespace
}  // namespace rdmabench
