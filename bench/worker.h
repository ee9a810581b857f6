// A thread with its endpoint: pinned once, then given one loop after the other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "bench/drive.h"
#include "transport/endpoint.h"
#include "transport/locality.h"

namespace rdmabench {

class Worker {
 public:
  using Task = std::packaged_task<void()>;

  // Pins its thread to `cpu` when there is one. Throws Error(kEnvironment).
  Worker(const Device& device, const EndpointOptions& options, const Locality& locality,
         std::optional<unsigned> cpu);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs `task` on the thread; one at a time. The future rethrows what it throws.
  std::future<void> Start(Task task);

  Endpoint& endpoint() { return endpoint_; }
  // Messages completed in the loop under way, for sampling.
  std::atomic<std::uint64_t>& progress() { return progress_; }

 private:
  void Loop();

  Endpoint endpoint_;
  alignas(64) std::atomic<std::uint64_t> progress_{0};
  alignas(64) std::mutex mutex_;
  std::condition_variable changed_;
  Task task_;
  bool ending_ = false;
  std::thread thread_;  // last: the destructor joins it before the rest dies
};

}  // namespace rdmabench
