#include "transport/doctor_cpu.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <string>

#include "transport/joined.h"

namespace rdmabench {
namespace {

constexpr const char* kCpus = "/sys/devices/system/cpu";
constexpr const char* kPolicies = "/sys/devices/system/cpu/cpufreq";
constexpr std::string_view kSteady = "performance";

std::string Count(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

struct Sleep {
  std::string folder;  // of the state, of the first processor that has it
  std::string name;    // "C6"
  std::uint64_t latency_us = 0;
  std::size_t cpus = 0;
};

// The state of the processor that takes longest to leave, of those that are not disabled.
Sleep DeepestOf(const FileTree& files, unsigned cpu) {
  const std::string folder = JoinPath({kCpus, "cpu" + std::to_string(cpu), "cpuidle"});
  Sleep deepest;
  for (const std::string& state : files.Entries(folder)) {
    const std::string path = JoinPath({folder, state});
    const double latency = files.Number(path + "/latency").value_or(0.0);
    if (files.Number(path + "/disable").value_or(1.0) != 0.0) continue;
    if (latency <= static_cast<double>(deepest.latency_us)) continue;
    deepest = {path, files.Line(path + "/name").value_or(state),
               static_cast<std::uint64_t>(latency), 1};
  }
  return deepest;
}

}  // namespace

std::string Governors(const FileTree& files) {
  std::set<std::string> governors;
  for (const std::string& policy : files.Entries(kPolicies)) {
    if (const auto governor = files.Line(JoinPath({kPolicies, policy, "scaling_governor"}))) {
      governors.insert(*governor);
    }
  }
  return Joined(governors);
}

std::vector<Symptom> CheckGovernor(const Machine& machine) {
  std::size_t policies = 0;
  std::size_t others = 0;
  std::string evidence;
  std::string first;
  for (const std::string& policy : machine.files.Entries(kPolicies)) {
    const std::string file = JoinPath({kPolicies, policy, "scaling_governor"});
    const auto governor = machine.files.Line(file);
    if (!governor) continue;
    ++policies;
    if (*governor == kSteady) continue;
    if (++others > 1) continue;
    first = *governor;
    evidence = Said(file, first);
  }
  if (others == 0) return {};
  return {{.what = "the frequency governor is " + first + ", not performance, on " +
                   std::to_string(others) + " of " + Count(policies, "frequency domain"),
           .evidence = evidence,
           .remedy = "cpupower frequency-set -g performance"}};
}

std::vector<Symptom> CheckTurbo(const Machine& machine) {
  struct Switch {
    const char* file;
    const char* off;
    const char* on;
  };
  constexpr Switch kSwitches[] = {
      {"/sys/devices/system/cpu/intel_pstate/no_turbo", "1", "0"},
      {"/sys/devices/system/cpu/cpufreq/boost", "0", "1"},
  };
  for (const Switch& row : kSwitches) {
    const auto said = machine.files.Line(row.file);
    if (said != row.off) continue;
    return {{.what = "turbo frequencies are switched off",
             .evidence = Said(row.file, *said),
             .remedy = std::string("echo ") + row.on + " >" + row.file}};
  }
  return {};
}

std::vector<Symptom> CheckIdleStates(const Machine& machine) {
  // C1 takes 1 or 2 us to leave, C1E about 10, C6 100 to 300.
  constexpr std::uint64_t kSlow = 50;
  Sleep deepest;
  std::size_t cpus = 0;
  for (const unsigned cpu : machine.allowed_cpus) {
    const Sleep sleep = DeepestOf(machine.files, cpu);
    if (sleep.latency_us < kSlow) continue;
    ++cpus;
    if (sleep.latency_us > deepest.latency_us) deepest = sleep;
  }
  if (cpus == 0) return {};
  const std::string latency = std::to_string(deepest.latency_us);
  return {{.what = Count(cpus, "processor") + " may sleep as deep as " + deepest.name +
                   ", which takes " + latency + " us to leave",
           .evidence = Said(deepest.folder + "/latency", latency) + "; disable: 0",
           .remedy = "cpupower idle-set -D " + std::to_string(kSlow)}};
}

std::vector<Symptom> CheckIrqbalance(const Machine& machine) {
  for (const std::string& process : machine.files.Entries("/proc")) {
    if (!std::all_of(process.begin(), process.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; })) {
      continue;
    }
    const std::string file = "/proc/" + process + "/comm";
    if (machine.files.Line(file) != "irqbalance") continue;
    return {{.what = "irqbalance is running",
             .evidence = Said(file, "irqbalance"),
             .remedy = "systemctl stop irqbalance, and set the adapter's interrupts on its node "
                       "(set_irq_affinity_bynode.sh, or /proc/irq/*/smp_affinity_list)"}};
  }
  return {};
}

}  // namespace rdmabench
