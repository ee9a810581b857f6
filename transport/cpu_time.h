// Processor time that a thread, this process and the whole machine have used so far.
#pragma once

#include <optional>
#include <string_view>

namespace rdmabench {

struct CpuTime {
  double user_seconds = 0.0;
  double system_seconds = 0.0;
};

CpuTime operator-(const CpuTime& later, const CpuTime& earlier);

CpuTime ThreadCpuTime();   // of the thread that asks
CpuTime ProcessCpuTime();  // of all threads of the process

// What all processors of the machine have spent in software interrupts, where the kernel receives
// and sends packets for everybody. `proc` is "/proc", or a copy in tests. Absent where it is not
// told.
std::optional<double> HostSoftirqSeconds(std::string_view proc);

}  // namespace rdmabench
