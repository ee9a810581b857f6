#include "transport/cpu_time.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace rdmabench {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

CpuTime UsageOf(int who) {
  rusage usage{};
  getrusage(who, &usage);  // fails for an unknown `who` only
  return {.user_seconds = Seconds(usage.ru_utime), .system_seconds = Seconds(usage.ru_stime)};
}

}  // namespace

CpuTime operator-(const CpuTime& later, const CpuTime& earlier) {
  return {.user_seconds = later.user_seconds - earlier.user_seconds,
          .system_seconds = later.system_seconds - earlier.system_seconds};
}

CpuTime ThreadCpuTime() { return UsageOf(RUSAGE_THREAD); }
CpuTime ProcessCpuTime() { return UsageOf(RUSAGE_SELF); }

std::optional<double> HostSoftirqSeconds(std::string_view proc) {
  std::ifstream file(std::filesystem::path(proc) / "stat");
  std::string of_all;
  double ticks[7] = {};  // user, nice, system, idle, iowait, irq, softirq
  if (!(file >> of_all) || of_all != "cpu") return std::nullopt;
  for (double& tick : ticks) {
    if (!(file >> tick)) return std::nullopt;
  }
  return ticks[6] / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace rdmabench
