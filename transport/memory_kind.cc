#include "transport/memory_kind.h"

#include <utility>

namespace rdmabench {

Buffer::Buffer(std::byte* data, std::size_t bytes, std::function<void()> release,
               BufferDetails details)
    : data_(data), bytes_(bytes), release_(std::move(release)), details_(details) {}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      release_(std::exchange(other.release_, nullptr)),
      details_(std::exchange(other.details_, {})) {}

Buffer::~Buffer() {
  if (release_) release_();
}

}  // namespace rdmabench
