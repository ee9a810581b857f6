// Message memory: kinds as rows, and a registered region.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "transport/handle.h"

namespace rdmabench {

struct BufferRequest {
  std::size_t bytes = 0;
  std::optional<unsigned> numa_node;
};

// Memory obtained from somewhere; `release` gives it back.
class Buffer {
 public:
  Buffer(std::byte* data, std::size_t bytes, std::function<void()> release);
  Buffer(Buffer&&) noexcept;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();
  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
  std::function<void()> release_;
};

struct MemoryKind {
  std::string_view name;                     // "host"
  Buffer (*allocate)(const BufferRequest&);  // page aligned, every page touched
  Mr (*register_with)(ibv_pd*, const Buffer&, int access);
  void (*fill)(const Buffer&, std::byte);
  bool cpu_access;  // loads and stores work: memory polling and verification are possible
  bool inline_ok;
};

std::span<const MemoryKind> MemoryKinds();
const MemoryKind& FindMemoryKind(
    std::string_view name);  // throws Error(kUsage) naming the known ones

// A buffer and its registration.
class MemoryRegion {
 public:
  // `access`: IBV_ACCESS_*; local write is always added (remote write and atomics require it).
  // Throws Error(kEnvironment); when the memlock limit is the cause the text has the limit, the
  // need, and how to raise it.
  MemoryRegion(ibv_pd* pd, const MemoryKind& kind, const BufferRequest& request, int access);

  std::byte* data() const { return buffer_.data(); }
  std::size_t size() const { return buffer_.size(); }
  // What the peer uses; comes from the registration, not from the pointer.
  std::uint64_t addr() const;
  std::uint32_t lkey() const { return mr_->lkey; }
  std::uint32_t rkey() const { return mr_->rkey; }

 private:
  Buffer buffer_;  // declared first: outlives its registration
  Mr mr_;
};

}  // namespace rdmabench
