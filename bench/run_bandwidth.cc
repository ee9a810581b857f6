#include <utility>

#include "bench/channel.h"
#include "bench/counted.h"
#include "bench/credit.h"
#include "bench/job_engines.h"
#include "bench/policies.h"
#include "bench/sequence.h"
#include "bench/sink.h"
#include "bench/stream.h"
#include "bench/verified_marks.h"

namespace rdmabench {
namespace {

// What a sender puts into its messages, and what the receiver looks for in them.
template <class Stamp, class Inspect>
struct MarksOf {
  Stamp stamp;
  Inspect inspect;
};
using Unmarked = MarksOf<Unstamped, Uninspected>;

template <class Stamp, class Pace>
using StreamOf = Stream<VerbsChannel, Stamp, Pace, FollowTurns>;
template <class Inspect>
using SinkOf = Sink<VerbsChannel, CreditReturn, Inspect>;

// Both are made before the window opens.
template <class Stamp, class Pace>
StreamOf<Stamp, Pace> MakeStream(const Bench& bench, const Job& job, Stamp stamp, Pace pace) {
  return StreamOf<Stamp, Pace>(
      {.shape = job.shape, .messages = job.messages, .at_least = job.at_least},
      MakeLanes(bench.endpoint, job), Pointers(bench.endpoint.send_cqs()), std::move(stamp),
      std::move(pace), FollowTurns(QueuePairsIn(bench.endpoint), job.shape, bench.clock));
}

template <class Inspect>
SinkOf<Inspect> MakeSink(const Bench& bench, Inspect inspect) {
  for (ReceiveRing& ring : bench.rings) ring.Restart();
  CreditReturn credit(*bench.control, static_cast<std::uint32_t>(bench.rings.size()));
  credit.Restart();
  return SinkOf<Inspect>({.rings = bench.rings,
                          .cqs = Pointers(bench.endpoint.recv_cqs()),
                          .expected = bench.expected,
                          .clock = bench.clock},
                         std::move(credit), std::move(inspect));
}

template <class Stamp, class Pace>
JobRun::Sent Account(const StreamOf<Stamp, Pace>& stream, const LoopResult& loop,
                     std::uint64_t done_ticks) {
  return {.messages = stream.completed(),
          .per_queue_pair = stream.CompletedPerLane(),
          .start_ticks = loop.start_ticks,
          .end_ticks = done_ticks != 0 ? done_ticks : loop.end_ticks,
          .opcode = stream.completed() > 0 ? std::optional(stream.opcode()) : std::nullopt,
          .lost_replies = 0,
          .turns = stream.probe().turns()};
}

std::optional<report::Arrivals> ArrivalsOf(const Uninspected& /*inspect*/) { return std::nullopt; }
template <class Number, class Lane>
std::optional<report::Arrivals> ArrivalsOf(const Sequences<Number, Lane>& inspect) {
  return inspect.Sum();
}

template <class Inspect>
Audit AuditOf(const Inspect& /*inspect*/) {
  return {};
}
template <class Other>
Audit AuditOf(const VerifiedArrivals<Other>& inspect) {
  return inspect.audit();
}

template <class Inspect>
void Account(const SinkOf<Inspect>& sink, const Job& job, JobRun& run) {
  // What precedes the payload is in the receive request's length, and is not counted.
  run.received = {
      .messages = sink.completed(),
      .bytes = sink.bytes() - sink.completed() * job.type->recv_headroom,
      .per_queue_pair = job.shares_receive_queue ? std::vector<std::uint64_t>() : sink.counts(),
      .start_ticks = sink.first_ticks(),
      .end_ticks = sink.last_ticks(),
      .opcode = sink.completed() > 0 ? std::optional(sink.opcode()) : std::nullopt,
      .arrivals = ArrivalsOf(sink.inspect())};
  run.audit = AuditOf(sink.inspect());
}

// The sender is told to be done as soon as it is, while the sink beside it may go on.
template <class Wait, class Pace, class Marks>
JobRun RunStream(const Bench& bench, const Job& job, Wait wait, Pace pace, Marks marks) {
  JobRun run;
  auto stream = MakeStream(bench, job, std::move(marks.stamp), std::move(pace));
  const auto done = [&](std::size_t index) {
    if (index == 0) bench.sent(stream.completed());
  };
  std::uint64_t done_ticks = 0;
  if (job.duty.sinks) {
    auto sink = MakeSink(bench, std::move(marks.inspect));
    const auto drive = [&](auto& sender, auto& receiver) {
      bench.opening();
      const auto result =
          Drive(bench.clock, std::move(wait), bench.stop, bench.progress, done, sender, receiver);
      run.loop = result.loop();
      done_ticks = result.done_ticks[0];
    };
    // Where messages may get lost, those that arrive here count, else those of this side's own that
    // have arrived there.
    if (job.type->loses) {
      Counted receiver(sink, *bench.counted);
      drive(stream, receiver);
    } else {
      Counted sender(stream, *bench.counted);
      drive(sender, sink);
    }
    Account(sink, job, run);
  } else {
    bench.opening();
    const auto result =
        Drive(bench.clock, std::move(wait), bench.stop, bench.progress, done, stream);
    run.loop = result.loop();
    done_ticks = result.done_ticks[0];
  }
  run.sent = Account(stream, run.loop, done_ticks);
  return run;
}

template <class Wait, class Limit, class Marks>
JobRun RunPaced(const Bench& bench, const Job& job, Wait wait, Limit limit, Marks marks) {
  if (job.ticks_per_message == 0.0) {
    return RunStream(bench, job, std::move(wait), std::move(limit), std::move(marks));
  }
  const ScheduleOptions schedule = ScheduleFor(bench, job);
  if (job.at_random) {
    return RunStream(bench, job, std::move(wait),
                     Scheduled<Limit, Poisson>(schedule, QueuePairsIn(bench.endpoint), bench.clock,
                                               std::move(limit)),
                     std::move(marks));
  }
  return RunStream(
      bench, job, std::move(wait),
      Scheduled<Limit, Even>(schedule, QueuePairsIn(bench.endpoint), bench.clock, std::move(limit)),
      std::move(marks));
}

template <class Wait, class Marks>
JobRun RunSink(const Bench& bench, const Job& job, Wait wait, Marks marks) {
  JobRun run;
  auto sink = MakeSink(bench, std::move(marks.inspect));
  bench.opening();
  run.loop = Drive(
                 bench.clock, std::move(wait), bench.stop, bench.progress, [](std::size_t) {}, sink)
                 .loop();
  Account(sink, job, run);
  return run;
}

// Of an op that takes receive requests, which bound the sender.
template <class Wait, class Marks>
JobRun RunCredited(const Bench& bench, const Job& job, Wait wait, Marks marks) {
  if (!job.duty.streams) return RunSink(bench, job, std::move(wait), std::move(marks));
  return RunPaced(
      bench, job, std::move(wait),
      Credits(*bench.control, job.shares_receive_queue ? 1 : QueuePairsIn(bench.endpoint),
              {.depth = job.receive.depth,
               .post_list = job.shape.post_list,
               .chain = job.receive.chain,
               .is_shared = job.shares_receive_queue,
               .patience_ticks = job.credit_patience_ticks,
               .counts_lost = job.numbering != Numbering::kNone},
              bench.clock),
      std::move(marks));
}

SharedQueue SharedBy(const Endpoint& endpoint) {
  std::vector<std::uint32_t> numbers;
  for (const Qp& qp : endpoint.queue_pairs()) numbers.push_back(qp->qp_num);
  return SharedQueue(numbers);
}

template <class Stamp, class Number, class Lane>
MarksOf<Stamp, Sequences<Number, Lane>> Numbered(const Bench& bench, const Job& job, Stamp stamp,
                                                 Number number, Lane lane) {
  // What is left of the queue lets the sender go on: a post, and a chain that is not full yet.
  const std::uint64_t most_overtaken =
      std::uint64_t{job.receive.depth} + 1 - job.receive.chain - job.shape.post_list;
  return {std::move(stamp), Sequences<Number, Lane>({.first = job.first_number,
                                                     .lanes = QueuePairsIn(bench.endpoint),
                                                     .most_overtaken = most_overtaken},
                                                    std::move(number), std::move(lane))};
}

// The same in messages whose content is verified as they arrive.
template <class Stamp, class Inspect>
MarksOf<ContentStamp<Stamp>, VerifiedArrivals<Inspect>> WithContent(const Bench& bench,
                                                                    const Job& job,
                                                                    MarksOf<Stamp, Inspect> marks) {
  return {ContentStamp<Stamp>(std::move(marks.stamp), bench, job),
          VerifiedArrivals<Inspect>(std::move(marks.inspect), bench, job)};
}

// Calls `run` with the marks that the job asks for.
template <class Run>
JobRun WithMarks(const Bench& bench, const Job& job, const Run& run) {
  const Endpoint& endpoint = bench.endpoint;
  const bool verified = job.verifying && job.op->peer_access == 0;
  const auto go = [&](auto marks) {
    return verified ? run(WithContent(bench, job, std::move(marks))) : run(std::move(marks));
  };
  switch (job.numbering) {
    case Numbering::kNone:
      break;
    case Numbering::kImmediate:
      if (job.shares_receive_queue) {
        return go(Numbered(bench, job, ImmediateSequence(job.first_number), ByImmediate{},
                           SharedBy(endpoint)));
      }
      return go(
          Numbered(bench, job, ImmediateSequence(job.first_number), ByImmediate{}, OwnQueue{}));
    case Numbering::kPayload:
      // What is verified tells its number by its content.
      if (verified) return go(Numbered(bench, job, Unstamped{}, ByContent(bench, job), OwnQueue{}));
      return run(
          Numbered(bench, job, PayloadSequence(job.first_number, OwnMemory(endpoint)),
                   ByPayload{.slots = ExposedMemory(endpoint), .headroom = job.type->recv_headroom},
                   OwnQueue{}));
  }
  return go(Unmarked{});
}

template <class Wait>
JobRun RunWith(const Bench& bench, const Job& job, Wait wait) {
  if (job.op->TakesReceives()) {
    return WithMarks(bench, job, [&](auto marks) {
      return RunCredited(bench, job, std::move(wait), std::move(marks));
    });
  }
  if (job.verifying && job.op->IsAtomic()) {
    return RunPaced(bench, job, std::move(wait), Unpaced{},
                    MarksOf<AtomicStamp, Uninspected>{AtomicStamp(bench, job), {}});
  }
  return RunPaced(bench, job, std::move(wait), Unpaced{}, Unmarked{});
}

}  // namespace

JobRun RunBandwidth(const Bench& bench, const Job& job) {
  JobRun run;
  WithWait(bench.endpoint, [&](auto wait) { run = RunWith(bench, job, std::move(wait)); });
  return run;
}

}  // namespace rdmabench
