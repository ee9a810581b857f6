#include "transport/memlock.h"

#include <linux/capability.h>
#include <sys/resource.h>

#include <cerrno>
#include <fstream>
#include <sstream>

namespace rdmabench {
namespace {

bool HasIpcLock() {
  constexpr std::string_view kKey = "CapEff:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kKey)) continue;
    std::uint64_t capabilities = 0;
    std::istringstream(line.substr(kKey.size())) >> std::hex >> capabilities;
    return (capabilities >> CAP_IPC_LOCK & 1) != 0;
  }
  return false;
}

}  // namespace

std::string InKib(std::uint64_t bytes) { return std::to_string((bytes + 1023) / 1024) + " KiB"; }

MemlockLimit ReadMemlockLimit() {
  MemlockLimit limit{.bytes = std::nullopt, .privileged = HasIpcLock()};
  rlimit value{};
  if (getrlimit(RLIMIT_MEMLOCK, &value) == 0 && value.rlim_cur != RLIM_INFINITY) {
    limit.bytes = value.rlim_cur;
  }
  return limit;
}

std::string MemlockEvidence(const MemlockLimit& limit, std::uint64_t needed_bytes, int code) {
  // The kernel says EPERM where the limit is zero.
  const bool may_be_limit = code == ENOMEM || (code == EPERM && limit.bytes == 0U);
  if (!may_be_limit || limit.privileged || !limit.bytes) return {};
  // Rings and earlier regions are locked, too, so a need just below the limit can fail because of
  // it.
  if (*limit.bytes >= kEnoughMemlockBytes && *limit.bytes / 2 > needed_bytes) return {};
  const std::string need =
      needed_bytes == 0 ? std::string() : ", and this needs " + InKib(needed_bytes) + " more";
  return "this process may lock " + InKib(*limit.bytes) + " of memory (ulimit -l)" + need;
}

}  // namespace rdmabench
