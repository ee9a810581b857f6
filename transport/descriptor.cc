#include "transport/descriptor.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <utility>

#include "transport/error.h"

namespace rdmabench {
namespace {

timespec TimeUntil(Deadline deadline) {
  using std::chrono::nanoseconds;
  constexpr nanoseconds kLongest = std::chrono::hours(24);
  constexpr long kPerSecond = 1'000'000'000;
  const nanoseconds left = std::clamp<nanoseconds>(deadline - Now(), nanoseconds::zero(), kLongest);
  return {.tv_sec = left.count() / kPerSecond, .tv_nsec = left.count() % kPerSecond};
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

int Descriptor::Release() { return std::exchange(fd_, -1); }

std::vector<bool> WaitReady(std::span<const int> readable, std::span<const int> writable,
                            Deadline deadline) {
  std::vector<pollfd> waits;
  waits.reserve(readable.size() + writable.size());
  for (const int fd : readable) waits.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  for (const int fd : writable) waits.push_back({.fd = fd, .events = POLLOUT, .revents = 0});
  while (true) {
    const timespec left = TimeUntil(deadline);
    const int ready = ppoll(waits.data(), waits.size(), &left, nullptr);
    if (ready < 0 && errno != EINTR) CheckErrno(ready, "cannot wait for descriptors");
    if (ready > 0 || Now() >= deadline) break;
  }
  std::vector<bool> flags(waits.size());
  for (std::size_t i = 0; i < waits.size(); ++i) flags[i] = waits[i].revents != 0;
  return flags;
}

}  // namespace rdmabench
