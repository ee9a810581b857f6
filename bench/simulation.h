// Both ends of a test on simulated time, in one thread: the engines that measure, over fake verbs
// of which it is known how long each message takes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "bench/clock.h"
#include "bench/job.h"
#include "bench/monitor.h"
#include "report/histogram.h"
#include "report/statistics.h"
#include "transport/device.h"
#include "transport/endpoint.h"
#include "transport/fake_verbs_time.h"

namespace rdmabench {

class Simulation {
 public:
  struct Options {
    const Op* op = nullptr;
    RingShape shape;
    std::uint32_t queue_pairs = 1;
    std::uint32_t receive_depth = 512;  // of each queue pair, for an op that takes receive requests
    // See fake::Timing.
    std::function<fake::Service(std::uint64_t message, std::uint64_t bytes)> service = {};
    std::uint64_t post_ns = 0;  // that the host takes to post a message
    std::uint64_t longest_step_ns = 1'000'000;
    // When the initiator is told to finish, from the beginning of a run on.
    std::optional<std::uint64_t> duration_ns = {};
    std::uint64_t sample_every_ns = 50'000'000;  // as the session thread does
  };

  explicit Simulation(const Options& options);

  // One run after the other, each with samples and a duration of its own.
  //
  // So many messages a queue pair as fast as it goes, and what takes them beside it, where the op
  // needs that.
  JobRun Stream(std::uint64_t messages);
  // So many round trips a queue pair, and what answers them. `round_trips` in nanoseconds.
  JobRun Ping(std::uint64_t messages, report::Histogram& round_trips);

  const TickClock& clock() const { return clock_; }
  // For a run of a test's own, which it begins.
  Bench MakeBench();
  Job MakeJob(Duty duty, std::uint64_t messages) const;
  // What a report says of the rate of a run, with what was sampled meanwhile.
  report::Measurement Measure(const JobRun& run);

 private:
  struct Side {
    std::unique_ptr<Endpoint> endpoint;
    std::unique_ptr<Endpoint> control;
    std::vector<ReceiveRing> rings;
  };

  Side MakeSide(const Device& device) const;
  void PostReceives(Side& side) const;
  void Begin();
  fake::Service Serve(std::uint64_t message, std::uint64_t bytes);
  void Watch(std::uint64_t next_ns);
  JobRun StreamAndSink(const Job& job);
  template <class Answer>
  JobRun PingAndEcho(const Job& job, report::Histogram& round_trips, Answer at_ping,
                     Answer at_echo);

  Options options_;
  ReceiveShape receive_;
  std::atomic<std::uint64_t> now_ns_;
  TickClock clock_;
  std::vector<Device> devices_;
  Side near_;  // initiates
  Side far_;
  std::atomic<bool> abort_{false};
  std::atomic<bool> finish_{false};
  std::atomic<std::uint64_t> progress_{0};
  std::atomic<std::uint64_t> expected_;
  std::uint64_t finish_ns_ = 0;
  std::uint64_t next_sample_ns_ = 0;
  std::vector<Sample> samples_;
  std::vector<report::ProgressSample> measured_;
};

}  // namespace rdmabench
