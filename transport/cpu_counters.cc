#include "transport/cpu_counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace rdmabench {
namespace {

constexpr CpuEvent kEvents[] = {
    {"user_cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    {"kernel_cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true},
    {"user_instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
    {"kernel_instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true},
};

// As the kernel lays out a read of one counter with the two times.
struct Reading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

std::string Paranoia() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  return file >> level ? " (kernel.perf_event_paranoid is " + std::to_string(level) + ")"
                       : std::string();
}

std::string WhyNot(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "not permitted" + Paranoia();
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "this processor has no such counter, or a virtual machine hides it";
    default:
      return std::strerror(error);
  }
}

Descriptor Open(const CpuEvent& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = 1;
  attributes.exclude_user = event.in_kernel ? 1 : 0;
  attributes.exclude_kernel = event.in_kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  constexpr int kThisThread = 0, kAnyCpu = -1, kNoGroup = -1;
  return Descriptor(static_cast<int>(syscall(SYS_perf_event_open, &attributes, kThisThread, kAnyCpu,
                                             kNoGroup, PERF_FLAG_FD_CLOEXEC)));
}

// What a counter that had to share its place with others says would be an estimate.
std::optional<std::uint64_t> Read(const Descriptor& file, std::string& why_not) {
  Reading reading;
  if (read(file.get(), &reading, sizeof reading) != sizeof reading) {
    why_not = WhyNot(errno);
  } else if (reading.running_ns < reading.enabled_ns || reading.enabled_ns == 0) {
    why_not = "the processor's counters were in use by others";
  } else {
    return reading.value;
  }
  return std::nullopt;
}

}  // namespace

std::span<const CpuEvent> CpuEvents() { return kEvents; }

CpuCounters::CpuCounters(std::span<const CpuEvent> events) : events_(events) {
  for (const CpuEvent& event : events_) {
    Counter& counter = counters_.emplace_back();
    counter.file = Open(event);
    if (counter.file.get() < 0) counter.why_not = WhyNot(errno);
  }
}

void CpuCounters::Start() {
  for (const Counter& counter : counters_) {
    if (counter.file.get() < 0) continue;
    ioctl(counter.file.get(), PERF_EVENT_IOC_RESET, 0);
    ioctl(counter.file.get(), PERF_EVENT_IOC_ENABLE, 0);
  }
}

CpuCounts CpuCounters::Stop() {
  for (const Counter& counter : counters_) {
    if (counter.file.get() >= 0) ioctl(counter.file.get(), PERF_EVENT_IOC_DISABLE, 0);
  }
  CpuCounts counts;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    std::string why_not = counters_[i].why_not;
    std::optional<std::uint64_t>& count = counts.events.emplace_back();
    if (counters_[i].file.get() >= 0) count = Read(counters_[i].file, why_not);
    if (!count && counts.why_not.empty()) {
      counts.why_not = std::string(events_[i].name) + ": " + why_not;
    }
  }
  return counts;
}

}  // namespace rdmabench
