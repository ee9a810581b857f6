// Between the job and the engines: lanes, completion queues, and the way to wait. For the files
// that instantiate engines.
#pragma once

#include <utility>
#include <vector>

#include "bench/answers.h"
#include "bench/channel.h"
#include "bench/event_wait.h"
#include "bench/job.h"
#include "bench/lanes.h"
#include "bench/policies.h"

namespace rdmabench {

std::vector<Lane> MakeLanes(const Endpoint& endpoint, const Job& job);
std::vector<ibv_cq*> Pointers(std::span<const Cq> cqs);
template <class Content = AnyContent>
Lanes<VerbsChannel, Content> MakeLatencyLanes(const Endpoint& endpoint, const Job& job,
                                              Content content = {}) {
  return {job.shape, MakeLanes(endpoint, job), Pointers(endpoint.send_cqs()), std::move(content)};
}
// The slots of a latency test in which each lane has one.
ByMemory WatchMemory(const Endpoint& endpoint, const Job& job);
// Of this worker's first lane.
ScheduleOptions ScheduleFor(const Bench& bench, const Job& job);

// Calls `run` with the way to wait that the endpoint is made for.
template <class Run>
void WithWait(const Endpoint& endpoint, const Run& run) {
  if (endpoint.channel() != nullptr) {
    run(EventWait(endpoint));
  } else {
    run(BusyPoll{});
  }
}

JobRun RunBandwidth(const Bench& bench, const Job& job);
JobRun RunLatency(const Bench& bench, const Job& job);
JobRun RunOpenLoop(const Bench& bench, const Job& job);

}  // namespace rdmabench
