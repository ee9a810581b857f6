// The limit on locked memory, the usual reason why verbs objects cannot be made, and how to raise
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rdmabench {

struct MemlockLimit {
  std::optional<std::uint64_t> bytes;  // RLIMIT_MEMLOCK; absent: unlimited
  bool privileged = false;             // CAP_IPC_LOCK: the limit does not apply
};

// This process's.
MemlockLimit ReadMemlockLimit();

// What to do about a failed call that had to lock `needed_bytes` (0: not known) and ended with
// errno value `code`; empty when the limit is not the cause. Names the limit, the need and how to
// raise it.
std::string MemlockRemedy(const MemlockLimit& limit, std::uint64_t needed_bytes, int code);

}  // namespace rdmabench
