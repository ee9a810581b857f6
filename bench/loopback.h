// Two connected endpoints on one fake device: what jobs are run on without a session, for
// benchmarks and counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bench/clock.h"
#include "bench/job.h"
#include "bench/receive_ring.h"
#include "bench/shape.h"
#include "transport/device.h"
#include "transport/endpoint.h"

namespace rdmabench {

class Loopback {
 public:
  struct Options {
    const Op* op = nullptr;
    RingShape shape;
    ReceiveShape receive = {};  // of the server's queues, for an op that takes receive requests
    std::uint32_t queue_pairs = 1;
    Numbering numbering = Numbering::kNone;
  };

  explicit Loopback(const Options& options);

  // The fake device moves a message while it is posted, so each side runs alone: the client sends
  // all of so many messages a queue pair, which the server's queues have to hold …
  JobRun Send(std::uint64_t messages);
  // … and the server takes them, as completions that have all come already.
  JobRun Take(std::uint64_t messages);
  // The client measures so many round trips by `run`, with an op whose completion is the answer.
  using Run = std::function<JobRun(const Bench& bench, const Job& job)>;
  JobRun Ping(std::uint64_t messages, const Run& run);

 private:
  struct Side {
    std::unique_ptr<Endpoint> endpoint;
    std::unique_ptr<Endpoint> control;  // null for an op that takes no receive requests
  };

  Side MakeSide(const EndpointOptions& options) const;
  void PostReceives();
  JobRun RunOn(const Side& side, Duty duty, std::uint64_t messages, const Run& run);

  Options options_;
  Device device_;
  Side client_;
  Side server_;
  std::vector<ReceiveRing> rings_;  // the server's
  TickClock clock_;
  std::atomic<bool> abort_{false};
  std::atomic<bool> finish_{false};
  std::atomic<std::uint64_t> progress_{0};
  std::atomic<std::uint64_t> expected_{0};
};

}  // namespace rdmabench
