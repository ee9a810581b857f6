// What one worker does in one run of a size, and what came of it.
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bench/audit.h"
#include "bench/clock.h"
#include "bench/drive.h"
#include "bench/duty.h"
#include "bench/op.h"
#include "bench/pattern.h"
#include "bench/receive_ring.h"
#include "bench/ring.h"
#include "bench/sample_log.h"
#include "bench/sequence.h"
#include "bench/shape.h"
#include "bench/thread_meter.h"
#include "bench/turns.h"
#include "report/histogram.h"
#include "report/report.h"
#include "transport/endpoint.h"

namespace rdmabench {

// What the messages of a verified run contain.
struct Verifying {
  std::uint32_t seed = 0;
  std::uint64_t size_index = 0;
  Role role = Role::kClient;  // this side
  // The first message of each of the side's queue pairs; empty: 0.
  std::vector<std::uint64_t> first_messages = {};

  // Of what `initiator` sends or asks for over a queue pair of the side.
  Pattern PatternOf(Role initiator, std::uint32_t queue_pair) const {
    return Pattern({.seed = seed,
                    .size_index = size_index,
                    .side = static_cast<std::uint32_t>(initiator),
                    .queue_pair = queue_pair});
  }
};

struct Job {
  const Op* op = nullptr;
  const QpType* type = nullptr;
  Duty duty;
  RingShape shape;
  ReceiveShape receive;
  bool shares_receive_queue = false;  // all queue pairs of a worker, at the receiver
  Numbering numbering = Numbering::kNone;
  std::uint64_t first_number = 0;                 // of each queue pair
  std::uint64_t messages = 0;                     // per queue pair
  std::uint64_t at_least = 0;                     // per queue pair, also when told to finish
  std::optional<std::uint32_t> most_inline = {};  // bytes; absent: as many as the queue pair grants
  double ticks_per_message = 0.0;                 // of one queue pair; 0: as fast as it goes
  std::uint32_t burst = 1;
  bool open_loop = false;  // messages are sent at planned times, and answered as such
  bool at_random = false;  // arrivals are a Poisson process
  std::uint64_t arrival_seed = 0;
  std::uint32_t queue_pairs = 1;            // of the side: arrivals take turns over all of them
  std::uint64_t reply_timeout_ticks = 0;    // 0: every reply comes
  std::uint64_t credit_patience_ticks = 0;  // 0: every credit comes
  std::optional<Verifying> verifying = {};
};

// What a worker works with. All of it outlives the run.
struct Bench {
  const Endpoint& endpoint;
  const Endpoint* control = nullptr;  // where credits go; null: there are none
  std::span<ReceiveRing> rings = {};  // filled
  const TickClock& clock;
  StopFlags stop;
  std::atomic<std::uint64_t>& progress;
  const std::atomic<std::uint64_t>& expected;  // messages that the peer has sent, once known
  // Of a stream beside a sink: those messages of `progress` that the result is made of.
  std::atomic<std::uint64_t>* counted = nullptr;
  report::Histogram* round_trips = nullptr;    // in ticks; of an open loop from the planned time
  report::Histogram* service_times = nullptr;  // … and from the post
  SampleLog* kept = nullptr;                   // the round trips one by one; null: not asked for
  std::uint32_t first_lane = 0;                // the number of this worker's first: ArrivalOptions
  std::uint32_t first_queue_pair = 0;          // of this worker, among the side's
  std::function<void()> opening = {};          // all is made, and the window about to open
  std::function<void(std::uint64_t messages)> sent = {};  // all of them; the receiver may go on
};

struct JobRun {
  LoopResult loop;
  ThreadCost cost;  // of the worker's thread, in the window
  // This worker's own messages; 0 when it initiates none.
  struct Sent {
    std::uint64_t messages = 0;
    std::vector<std::uint64_t> per_queue_pair;
    std::uint64_t start_ticks = 0;
    std::uint64_t end_ticks = 0;
    std::optional<ibv_wc_opcode> opcode;
    std::uint64_t lost_replies = 0;
    std::vector<Turns> turns = {};  // by queue pair; empty: none were followed
  } sent;
  // Of an open loop, see OpenPing.
  struct Planned {
    std::uint64_t messages = 0;
    double per_tick = 0.0;
    std::uint64_t backlog_max = 0;
    std::uint64_t backlog_end = 0;
  } planned;
  // What came in receive requests, or was answered.
  struct Received {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;                    // payload
    std::vector<std::uint64_t> per_queue_pair;  // empty where they share a receive queue
    std::uint64_t start_ticks = 0;
    std::uint64_t end_ticks = 0;
    std::optional<ibv_wc_opcode> opcode;
    std::optional<report::Arrivals> arrivals;  // of numbered messages
  } received;
  Audit audit;
};

std::uint32_t QueuePairsIn(const Endpoint& endpoint);
// The memory that the endpoint's own requests name, and that the peer's do.
MappedMemory OwnMemory(const Endpoint& endpoint);
MappedMemory ExposedMemory(const Endpoint& endpoint);

// When a request failed, its queue pair flushes all others, and a flushed one may be seen first.
// The failure itself where it is still in one of the completion queues, else what was seen.
// Whatever a post failed with, a completion in error says more, too.
Failure RootCause(const Failure& seen, const Endpoint& endpoint, const Endpoint* control);

// A failure that is no flushed request, in one of the completion queues. Empties them.
std::optional<Failure> FindCause(const Endpoint& endpoint, const Endpoint* control);

// Whether messages of this shape travel inside their requests.
bool UsesInline(const Endpoint& endpoint, const Job& job);

// Runs the engines that the duty names.
JobRun RunJob(const Bench& bench, const Job& job);

}  // namespace rdmabench
