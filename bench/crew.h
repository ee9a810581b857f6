// All workers of one side of a test: made together, connected together, and given the same kind of
// job at the same time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/agreement.h"
#include "bench/device_watch.h"
#include "bench/duty.h"
#include "bench/job.h"
#include "bench/monitor.h"
#include "bench/site.h"
#include "bench/test.h"
#include "bench/whereabouts.h"
#include "bench/worker.h"
#include "report/histogram.h"
#include "report/report.h"
#include "transport/peer_info.h"
#include "transport/rdma_cm.h"
#include "transport/session.h"

namespace rdmabench {

class Crew {
 public:
  struct Setting {
    Session& session;
    const Site& site;
    const TestPlan& plan;  // of the whole side: OverRails()
    const Agreement& agreement;
    Role role;
    std::chrono::milliseconds longest_phase;  // that the peer may take
    std::uint64_t keep_samples = 0;           // of a size, one by one, at most
    std::uint32_t run = 1;                    // of the plan's
    DeviceWatch* watch = nullptr;             // of the site's devices; may be null
  };

  // What a run of a job needs beside the job itself.
  struct Run {
    Monitor::Options watch;
    std::vector<report::Histogram>* round_trips = nullptr;    // in ticks; one a worker that pings
    std::vector<report::Histogram>* service_times = nullptr;  // as many, in an open loop
    std::vector<SampleLog>* kept = nullptr;                   // as many; null: not asked for
    std::vector<Sample>* samples = nullptr;                   // taken during it; may be null
  };

  // Makes the queue pairs of every worker and posts their receive requests. Throws
  // Error(kEnvironment).
  explicit Crew(const Setting& setting);

  // Addresses and keys of all queue pairs, as one frame's body.
  nlohmann::json Local() const;
  // Takes the same of the peer, and connects all queue pairs.
  void Connect(const nlohmann::json& peer, Deadline deadline);

  // Runs `job` on every worker, in step with the peer's crew, and returns when all are done: what
  // each did. A failure raises the session's abort flag, and what was done until then is returned.
  std::vector<JobRun> Work(const Job& job, const Run& run);

  const Duty& duty() const { return duty_; }
  std::size_t size() const { return workers_.size(); }
  const Endpoint& endpoint(std::size_t worker = 0) const { return workers_[worker]->endpoint(); }
  std::uint32_t completion_queues() const;
  bool relaxed_ordering() const;
  // After the last run.
  Whereabouts whereabouts() const;
  // Of this side's messages.
  const MemoryKind& memory_kind() const;
  report::Memory DescribeMemory() const;
  // Bytes of a message that may travel inside its request; absent: as many as go.
  std::optional<std::uint32_t> most_inline() const;

 private:
  struct Progress;

  // Whether a side waits to be told how much the other has sent.
  bool HearsOfTheEnd(Role role) const;
  // Whether what completes here is of both directions, and the result made of one of them.
  bool CountsOnePart() const;
  Worker::Options OptionsFor(std::uint32_t index) const;
  std::string MemoryArgument() const;
  void ChooseMemory(std::uint32_t index, EndpointOptions& options) const;
  std::string GidAddress(Role role) const;
  CmOptions OptionsForCm() const;
  void ConnectByCm(const std::vector<PeerInfo>& peers, const std::optional<CmDoor>& door,
                   Deadline deadline);
  std::uint32_t CreditQueues(std::uint32_t pairs) const;
  void Start(std::uint32_t index, const Job& job, const Run& run, Progress& progress);
  void Report(const Failure& failure, Worker& worker);
  void SeekOwnReason();
  void AwaitPeer();
  void Expect(const std::vector<std::uint64_t>& messages);  // of each worker
  void AwaitWorkers(Progress& progress, const Job& job);
  void Renew();

  Setting setting_;
  const Test& test_;
  const QpType& type_;
  Duty duty_;
  Duty peer_duty_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<int> ran_on_;  // one a worker, once there was a run; below 0: not known
  // With --rdma-cm. Connections end before their queue pairs.
  std::optional<CmListener> listener_;
  std::optional<CmConnections> connections_;
};

}  // namespace rdmabench
