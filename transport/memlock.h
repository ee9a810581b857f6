// The limit on locked memory, the usual reason why verbs objects cannot be made, and how to raise
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rdmabench {

struct MemlockLimit {
  std::optional<std::uint64_t> bytes;  // RLIMIT_MEMLOCK; absent: unlimited
  bool privileged = false;             // CAP_IPC_LOCK: the limit does not apply
};

// What a worker's messages take at most by default; a limit below it is suspected even when the
// need is not known. Distributions ship 64 KiB to 8 MiB.
inline constexpr std::uint64_t kEnoughMemlockBytes = std::uint64_t{64} << 20;

// This process's.
MemlockLimit ReadMemlockLimit();

// How to raise it, in one line.
std::string_view MemlockWays();

std::string InKib(std::uint64_t bytes);  // "64 KiB"

// What to do about a failed call that had to lock `needed_bytes` (0: not known) and ended with
// errno value `code`; empty when the limit is not the cause. Names the limit, the need and how to
// raise it.
std::string MemlockRemedy(const MemlockLimit& limit, std::uint64_t needed_bytes, int code);

}  // namespace rdmabench
