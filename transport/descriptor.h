// A file descriptor with an owner, and the one way in which the suite waits for several.
#pragma once

#include <span>
#include <vector>

#include "transport/deadline.h"

namespace rdmabench {

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return fd_; }
  int Release();

 private:
  int fd_ = -1;
};

// Waits until one of `readable` can be read or `writable` written, or the deadline. Entries of -1
// are ignored. Returns the flags in the order of `readable`, then of `writable`.
std::vector<bool> WaitReady(std::span<const int> readable, std::span<const int> writable,
                            Deadline deadline);

}  // namespace rdmabench
