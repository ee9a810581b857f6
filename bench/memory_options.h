// What a plan says of message memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rdmabench {

struct MemoryOptions {
  std::string kind = "host";
  std::optional<std::string> remote_kind;  // of the server; absent: the same
  std::optional<bool> relaxed_ordering;    // absent: on, except where latency polls memory
  // Of a side, which its requests go through; absent: a slot for each request of a queue.
  std::optional<std::uint64_t> working_set_bytes;
  std::optional<std::string> access;         // one of kAccesses; absent: sequential
  bool mr_per_qp = false;                    // each queue pair names the memory by a key of its own
  std::optional<std::uint32_t> align_bytes;  // of slots; absent: a cache line
  std::uint32_t offset_bytes = 0;            // of a message in its slot

  const std::string& server_kind() const { return remote_kind ? *remote_kind : kind; }
};

}  // namespace rdmabench
