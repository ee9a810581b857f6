// A thread with its endpoint: pinned once, then given one loop after the other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "bench/drive.h"
#include "bench/receive_ring.h"
#include "transport/endpoint.h"
#include "transport/locality.h"

namespace rdmabench {

class Worker {
 public:
  using Task = std::packaged_task<void()>;

  struct Options {
    EndpointOptions endpoint;
    // A queue pair beside them for credits; absent: none are needed.
    std::optional<EndpointOptions> control;
    ReceiveShape receive;  // posted at once
    std::optional<unsigned> cpu;
  };

  // Pins its thread to `cpu` when there is one. Throws Error(kEnvironment).
  Worker(const Device& device, const Options& options, const Locality& locality);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs `task` on the thread; one at a time. The future rethrows what it throws.
  std::future<void> Start(Task task);

  Endpoint& endpoint() { return endpoint_; }
  const Endpoint& endpoint() const { return endpoint_; }
  Endpoint* control() { return control_.get(); }
  std::span<ReceiveRing> rings() { return rings_; }
  // Messages completed in the loop under way, for sampling.
  std::atomic<std::uint64_t>& progress() { return progress_; }
  // Those of them that this side counts for the result, where it counts both directions.
  std::atomic<std::uint64_t>& counted() { return counted_; }
  // Messages that the peer has sent in the run under way; all ones: not known yet.
  std::atomic<std::uint64_t>& expected() { return expected_; }

 private:
  void Pin(const Locality& locality, unsigned cpu);
  void PostReceives(const ReceiveShape& shape);
  void End();
  void Loop();

  Endpoint endpoint_;
  std::unique_ptr<Endpoint> control_;
  std::vector<ReceiveRing> rings_;
  alignas(64) std::atomic<std::uint64_t> progress_{0};
  std::atomic<std::uint64_t> counted_{0};  // the same thread writes both
  alignas(64) std::atomic<std::uint64_t> expected_{0};
  alignas(64) std::mutex mutex_;
  std::condition_variable changed_;
  Task task_;
  bool ending_ = false;
  std::thread thread_;  // last: the destructor joins it before the rest dies
};

}  // namespace rdmabench
