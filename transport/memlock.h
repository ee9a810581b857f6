// The limit on locked memory, the usual reason why verbs objects cannot be made.
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

std::string InKib(std::uint64_t bytes);  // "64 KiB"

// Of a call that had to lock `needed_bytes` (0: not known) and ended with errno value `code`: the
// limit and the need, where the limit is the cause; else empty. The catalogue says how to raise it
// ("memlock").
std::string MemlockEvidence(const MemlockLimit& limit, std::uint64_t needed_bytes, int code);

}  // namespace rdmabench
