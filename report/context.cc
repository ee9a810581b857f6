#include "report/context.h"

#include <sys/utsname.h>

#include <fstream>
#include <set>
#include <string_view>
#include <system_error>

#include "report/text_phrase.h"

namespace rdmabench::report {
namespace {

namespace fs = std::filesystem;

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

// "model name" is x86's word; most aarch64 kernels name no model at all.
std::optional<std::string> CpuModel(const fs::path& root) {
  std::ifstream cpuinfo(root / "proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    if (Trimmed(line.substr(0, colon)) != "model name") continue;
    const std::string model = Trimmed(line.substr(colon + 1));
    if (!model.empty()) return model;
  }
  return std::nullopt;
}

// The governor of all cores, or the different ones, as in "performance, powersave".
std::optional<std::string> Governor(const fs::path& root) {
  std::set<std::string> governors;
  std::error_code ignored;  // virtual machines have no such directory
  for (const fs::directory_entry& policy :
       fs::directory_iterator(root / "sys/devices/system/cpu/cpufreq", ignored)) {
    std::ifstream file(policy.path() / "scaling_governor");
    std::string governor;
    if (file >> governor) governors.insert(governor);
  }
  if (governors.empty()) return std::nullopt;
  return Joined({governors.begin(), governors.end()});
}

// Containers of one machine have the same.
std::optional<std::string> BootId(const fs::path& root) {
  std::ifstream file(root / "proc/sys/kernel/random/boot_id");
  std::string id;
  if (!(file >> id)) return std::nullopt;
  return id;
}

}  // namespace

Host DescribeHost(const fs::path& root) {
  Host host;
  utsname system{};
  if (uname(&system) == 0) {
    host.name = system.nodename;
    host.kernel = std::string(system.sysname) + " " + system.release + " " + system.machine;
  }
  host.boot_id = BootId(root);
  host.cpu = CpuModel(root);
  host.governor = Governor(root);
  return host;
}

}  // namespace rdmabench::report
