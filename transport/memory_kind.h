// What a kind of message memory is: how it is obtained, registered and filled, and what the CPU may
// do with it. Each kind has a file of its own, which defines one constant; memory.cc lists them.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "transport/handle.h"

namespace rdmabench {

struct QpType;

// What a device that is a file maps at once.
inline constexpr std::size_t kFileAlignment = std::size_t{1} << 21;

struct BufferRequest {
  std::size_t bytes = 0;
  std::optional<unsigned> numa_node;
  std::string argument = {};  // of a kind that takes one: a file, a device
  // Further ones like it that this side allocates, and where this one lies in a file that all
  // share: a multiple of kFileAlignment.
  std::uint32_t others = 0;
  std::uint64_t file_offset = 0;
};

// What is known of a buffer beside its place and size.
struct BufferDetails {
  std::size_t page_bytes = 0;  // 0: not known
  int dmabuf_fd = -1;          // -1: none; `release` closes it
  void* handle = nullptr;      // what the kind needs to register or fill it, such as an ibv_dm*
};

// Memory obtained from somewhere; `release` gives it back.
class Buffer {
 public:
  Buffer(std::byte* data, std::size_t bytes, std::function<void()> release,
         BufferDetails details = {});
  Buffer(Buffer&&) noexcept;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();
  // The CPU may use it where the kind says so; elsewhere it is an address to register, or null.
  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  std::size_t page_bytes() const { return details_.page_bytes; }
  int dmabuf_fd() const { return details_.dmabuf_fd; }
  void* handle() const { return details_.handle; }

 private:
  std::byte* data_;
  std::size_t bytes_;
  std::function<void()> release_;
  BufferDetails details_;
};

struct Registration {
  Mr mr;
  // "by its virtual address", "as a dma-buf"; of a kind with several ways also why those before it
  // were not taken.
  std::string how = {};
  // Where requests find the first byte; absent: at the region's own address.
  std::optional<std::uint64_t> iova = {};
};

// Whether a kind is told which: KIND=ARGUMENT. Each side has its own.
enum class Argument { kNone, kOptional, kRequired };

struct MemoryKind {
  std::string_view name;     // "host"
  std::string_view summary;  // for help and devices, at most a line
  // The reason why this machine or this device has none; absent: it has.
  std::optional<std::string> (*why_not)(ibv_context*);
  // Page aligned and on the node asked for; pages may be without place until they are filled.
  // Throws Error(kEnvironment) with the remedy.
  Buffer (*allocate)(ibv_pd*, const BufferRequest&);
  Registration (*register_with)(ibv_pd*, const Buffer&, int access);
  void (*fill)(const Buffer&, std::byte);
  bool cpu_access;  // loads and stores work: memory polling and verification are possible
  bool inline_ok;
  bool over_pcie = true;       // the device reaches it so, and may do it in relaxed order
  std::size_t granule = 4096;  // a buffer takes whole ones
  Argument argument = Argument::kNone;
  // As why_not, of what lies on one NUMA node (absent: on any), and how much of it there is, in a
  // few words; null: it does not depend on that.
  std::optional<std::string> (*why_not_on_node)(std::optional<unsigned> node) = nullptr;
  std::string (*amount_on_node)(std::optional<unsigned> node) = nullptr;
  // Throws Error(kUsage) for a text that can be no argument, whatever the machine has; null: any
  // can.
  void (*check_form)(std::string_view argument) = nullptr;
  // Throws Error(kEnvironment) for an argument that cannot be granted, before there is a test;
  // null: that is seen when memory is allocated.
  void (*check_argument)(const std::string& argument) = nullptr;
  // As why_not, for requests on one type of queue pair, as IBV_ODP_SUPPORT_* names them; null: all
  // are alike.
  std::optional<std::string> (*why_not_on)(ibv_context*, const QpType&,
                                           std::uint32_t requests) = nullptr;
};

}  // namespace rdmabench
