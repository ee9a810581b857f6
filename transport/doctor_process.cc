#include "transport/doctor_process.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>

#include "transport/catalogue.h"
#include "transport/cpu_list.h"
#include "transport/joined.h"
#include "transport/unsigned_number.h"

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCgroups = "/sys/fs/cgroup";

// Whether a line of /proc/self/cgroup, "4:cpu,cpuacct:/docker/1f", is of the controller.
bool IsOf(std::string_view line, std::string_view controller) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (second == std::string_view::npos) return false;
  const std::string list = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
  return list.find("," + std::string(controller) + ",") != std::string::npos;
}

// The control groups that hold this process, the innermost first: of version 2, and of version 1
// those of the controller. In a container the path may begin outside of what is mounted; then the
// mount itself is the group.
std::vector<std::string> Cgroups(const FileTree& files, const std::string& controller) {
  constexpr std::string_view kUnified = "0::";
  std::vector<std::string> groups;
  const auto add = [&](const std::string& mount, const std::string& in_mount) {
    fs::path path = fs::path(in_mount).lexically_normal();
    const bool is_outside =
        in_mount.find("..") != std::string::npos || !files.Has(mount + path.string());
    for (; !is_outside && path.has_relative_path(); path = path.parent_path()) {
      groups.push_back(mount + path.string());
    }
    groups.push_back(mount);
  };
  const std::string own_mount = kCgroups + ("/" + controller);
  for (const std::string& line : files.Lines("/proc/self/cgroup")) {
    if (line.starts_with(kUnified)) add(kCgroups, line.substr(kUnified.size()));
    if (IsOf(line, controller)) add(own_mount, line.substr(line.find(':', line.find(':') + 1) + 1));
  }
  if (groups.empty()) groups.push_back(kCgroups);
  return groups;
}

// What a group's files say of the time that it gets, "50000 100000" for half a processor: in
// version 1 in two files.
struct CpuTime {
  std::string file;
  std::string line;
};

CpuTime CpuTimeOf(const FileTree& files, const std::string& group) {
  const std::string file = group + "/cpu.cfs_quota_us";
  const auto quota = files.Line(file);
  if (!quota) return {group + "/cpu.max", files.Line(group + "/cpu.max").value_or("max")};
  return {file, *quota + " " + files.Line(group + "/cpu.cfs_period_us").value_or("0")};
}

// The device files that the kernel's devices should have and do not.
std::vector<Symptom> MissingFiles(const FileTree& files) {
  const std::string verbs = "/sys/class/infiniband_verbs";
  std::vector<std::string> missing;
  std::vector<std::string> devices;
  for (const std::string& name : files.Entries(verbs)) {
    const auto device = files.Line(JoinPath({verbs, name, "ibdev"}));
    if (!device || files.Has("/dev/infiniband/" + name)) continue;
    missing.push_back("/dev/infiniband/" + name);
    devices.push_back(*device);
  }
  if (missing.empty()) return {};
  return {
      {.what = "the device files of " + Joined(devices) + " are missing",
       .evidence = Said(verbs + "/*/ibdev", Joined(devices)) + "; not there: " + Joined(missing),
       .remedy = "modprobe ib_uverbs; in a container pass --device=/dev/infiniband"}};
}

// "hca_handle=2": a limit of the kind `key`, absent for "max".
std::optional<std::uint64_t> LimitIn(const std::string& line, std::string_view key) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (!word.starts_with(key) || word.size() <= key.size() || word[key.size()] != '=') continue;
    if (const auto limit = ParseUnsigned(std::string_view(word).substr(key.size() + 1))) {
      return limit;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Symptom> CheckMemlock(const Machine& machine) {
  const MemlockLimit& limit = machine.memlock;
  if (limit.privileged || !limit.bytes || *limit.bytes >= kEnoughMemlockBytes) return {};
  return {{.what = "this process may lock " + InKib(*limit.bytes) +
                   " of memory, and each worker needs up to " + InKib(kEnoughMemlockBytes) +
                   " by default",
           .evidence = "getrlimit(RLIMIT_MEMLOCK): " + InKib(*limit.bytes) + "; no CAP_IPC_LOCK",
           .remedy = std::string(FindEntry("memlock")->check)}};
}

std::vector<Symptom> CheckHugePages(const Machine& machine) {
  const std::string folder = "/sys/kernel/mm/hugepages";
  std::string evidence;
  for (const std::string& size : machine.files.Entries(folder)) {
    const std::string file = JoinPath({folder, size, "nr_hugepages"});
    const auto count = machine.files.Number(file);
    if (count.value_or(0.0) > 0.0) return {};
    if (count) AppendWord(evidence, Said(file, "0"), "; ");
  }
  if (evidence.empty()) return {};
  return {{.what = "no huge pages are set aside",
           .evidence = evidence,
           .remedy = "sysctl vm.nr_hugepages=1024, or hugepagesz=1G hugepages=16 on the kernel's "
                     "command line"}};
}

std::vector<Symptom> CheckNoDevice(const Machine& machine) {
  const std::string folder = "/sys/class/infiniband";
  const std::vector<std::string> known = machine.files.Entries(folder);
  if (!machine.missing_devices.empty()) {
    std::vector<Symptom> symptoms;
    for (const Error& error : machine.missing_devices) {
      symptoms.push_back({.what = error.what(),
                          .evidence = "ibv_get_device_list, and the interfaces of its devices",
                          .remedy = error.remedy(),
                          .effect = "nothing can be measured with it"});
    }
    return symptoms;
  }
  if (!machine.devices.empty() || !machine.closed.empty()) return {};
  if (!MissingFiles(machine.files).empty()) return {};
  if (known.empty()) {
    return {{.what = "there is no RDMA device",
             .evidence = Said(folder, machine.files.Has(folder) ? "empty" : "not there"),
             .remedy = "load the adapter's driver, or make a software device: rdma link add rxe0 "
                       "type rxe netdev NETDEV"}};
  }
  return {{.what = "the verbs library sees none of the kernel's devices",
           .evidence = Said(folder, Joined(known)) + "; ibv_get_device_list: none",
           .remedy = "modprobe ib_uverbs, and install the provider libraries (Debian: "
                     "ibverbs-providers)"}};
}

// A container may have been given some of the devices, and see the others.
std::vector<Symptom> CheckDeviceFiles(const Machine& machine) {
  std::vector<Symptom> symptoms = MissingFiles(machine.files);
  for (Symptom& symptom : symptoms) {
    if (!machine.devices.empty()) symptom.severity = Severity::kNote;
  }
  return symptoms;
}

std::vector<Symptom> CheckDeviceOpens(const Machine& machine) {
  std::vector<Symptom> symptoms;
  if (!MissingFiles(machine.files).empty()) return symptoms;
  for (const Error& error : machine.closed) {
    symptoms.push_back(
        {.what = error.what(),
         .evidence = "ibv_open_device, ibv_query_device",
         .remedy = error.remedy().empty() ? "the kernel's log may say more: dmesg | tail"
                                          : error.remedy(),
         .severity = machine.devices.empty() ? std::nullopt : std::optional(Severity::kWarning)});
  }
  return symptoms;
}

std::vector<Symptom> CheckCpuset(const Machine& machine) {
  const std::string file = "/sys/devices/system/cpu/online";
  const std::string online = machine.files.Line(file).value_or("");
  const std::size_t there = ParseCpuList(online).value_or(std::vector<unsigned>()).size();
  if (machine.allowed_cpus.size() != 1 || there <= 1) return {};
  const std::string cpu = std::to_string(machine.allowed_cpus.front());
  return {{.what = "this process may run on one of " + std::to_string(there) + " processors",
           .evidence = "sched_getaffinity: " + cpu + "; " + Said(file, online),
           .remedy = "widen the container's cpuset (--cpuset-cpus, a pod's whole-number CPU "
                     "request) or the taskset"}};
}

std::vector<Symptom> CheckCpuQuota(const Machine& machine) {
  // A worker polls without pause, and the session thread must get its turns.
  constexpr double kEnough = 2.0;
  for (const std::string& group : Cgroups(machine.files, "cpu")) {
    const CpuTime time = CpuTimeOf(machine.files, group);
    std::istringstream words(time.line);
    double quota = 0.0;
    double period = 0.0;
    // Version 1 writes -1 for none.
    if (!(words >> quota >> period) || quota <= 0.0 || period <= 0.0) continue;
    if (quota / period >= kEnough) continue;
    char processors[32];
    std::snprintf(processors, sizeof processors, "%.2f", quota / period);
    return {{.what = std::string("this process gets the time of ") + processors + " processors",
             .evidence = Said(time.file, time.line),
             .remedy = "raise the quota (--cpus, a pod's CPU limit) to one processor a worker and "
                       "one more, or take it away"}};
  }
  return {};
}

std::vector<Symptom> CheckRdmaCgroup(const Machine& machine) {
  // What a test of one queue pair makes on each side, with room to spare: protection domain,
  // regions, completion queues, queue pairs, of data and of credits.
  constexpr std::uint64_t kEnoughObjects = 32;
  std::vector<Symptom> symptoms;
  for (const std::string& group : Cgroups(machine.files, "rdma")) {
    for (const std::string& line : machine.files.Lines(group + "/rdma.max")) {
      for (const DeviceInfo& device : machine.devices) {
        if (!line.starts_with(device.name + " ")) continue;
        const auto handles = LimitIn(line, "hca_handle");
        const auto objects = LimitIn(line, "hca_object");
        if (!handles && !objects) continue;
        const bool is_too_few =
            handles.value_or(1) == 0 || objects.value_or(kEnoughObjects) < kEnoughObjects;
        symptoms.push_back(
            {.what = "the control group bounds what this process may make on " + device.name,
             .evidence = Said(group + "/rdma.max", line),
             .remedy =
                 "echo '" + device.name + " hca_handle=max hca_object=max' >" + group + "/rdma.max",
             .severity = is_too_few ? std::optional(Severity::kSevere) : std::nullopt});
      }
    }
  }
  return symptoms;
}

}  // namespace rdmabench
