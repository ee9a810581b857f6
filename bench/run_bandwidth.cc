#include <utility>

#include "bench/channel.h"
#include "bench/credit.h"
#include "bench/job_engines.h"
#include "bench/policies.h"
#include "bench/sink.h"
#include "bench/stream.h"

namespace rdmabench {
namespace {

template <class Pace>
using StreamOf = Stream<VerbsChannel, Unstamped, Pace, FollowTurns>;
using VerbsSink = Sink<VerbsChannel, CreditReturn, Uninspected>;

// Both are made before the window opens.
template <class Pace>
StreamOf<Pace> MakeStream(const Bench& bench, const Job& job, Pace pace) {
  return StreamOf<Pace>({.shape = job.shape, .messages = job.messages, .at_least = job.at_least},
                        MakeLanes(bench.endpoint, job), Pointers(bench.endpoint.send_cqs()), {},
                        std::move(pace),
                        FollowTurns(bench.endpoint.queue_pairs().size(), bench.clock));
}

VerbsSink MakeSink(const Bench& bench) {
  for (ReceiveRing& ring : bench.rings) ring.Restart();
  CreditReturn credit(*bench.control, static_cast<std::uint32_t>(bench.rings.size()));
  credit.Restart();
  return VerbsSink({.rings = bench.rings,
                    .cqs = Pointers(bench.endpoint.recv_cqs()),
                    .expected = bench.expected,
                    .clock = bench.clock},
                   std::move(credit));
}

template <class Pace>
JobRun::Sent Account(const StreamOf<Pace>& stream, const LoopResult& loop,
                     std::uint64_t done_ticks) {
  return {.messages = stream.completed(),
          .per_queue_pair = stream.CompletedPerLane(),
          .start_ticks = loop.start_ticks,
          .end_ticks = done_ticks != 0 ? done_ticks : loop.end_ticks,
          .opcode = stream.completed() > 0 ? std::optional(stream.opcode()) : std::nullopt,
          .lost_replies = 0,
          .turns = stream.probe().turns()};
}

JobRun::Received Account(const VerbsSink& sink, const Job& job) {
  // What precedes the payload is in the receive request's length, and is not counted.
  return {.messages = sink.completed(),
          .bytes = sink.bytes() - sink.completed() * job.type->recv_headroom,
          .per_queue_pair = job.shares_receive_queue ? std::vector<std::uint64_t>() : sink.counts(),
          .start_ticks = sink.first_ticks(),
          .end_ticks = sink.last_ticks(),
          .opcode = sink.completed() > 0 ? std::optional(sink.opcode()) : std::nullopt};
}

// The sender is told to be done as soon as it is, while the sink beside it may go on.
template <class Wait, class Pace>
JobRun RunStream(const Bench& bench, const Job& job, Wait wait, Pace pace) {
  JobRun run;
  StreamOf<Pace> stream = MakeStream(bench, job, std::move(pace));
  const auto done = [&](std::size_t index) {
    if (index == 0) bench.sent(stream.completed());
  };
  std::uint64_t done_ticks = 0;
  if (job.duty.sinks) {
    VerbsSink sink = MakeSink(bench);
    bench.opening();
    const auto result =
        Drive(bench.clock, std::move(wait), bench.stop, bench.progress, done, stream, sink);
    run.loop = result.loop();
    done_ticks = result.done_ticks[0];
    run.received = Account(sink, job);
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

template <class Wait, class Limit>
JobRun RunPaced(const Bench& bench, const Job& job, Wait wait, Limit limit) {
  if (job.ticks_per_message == 0.0) {
    return RunStream(bench, job, std::move(wait), std::move(limit));
  }
  const ScheduleOptions schedule = ScheduleFor(bench, job);
  const auto pairs = static_cast<std::uint32_t>(bench.endpoint.queue_pairs().size());
  if (job.at_random) {
    return RunStream(bench, job, std::move(wait),
                     Scheduled<Limit, Poisson>(schedule, pairs, bench.clock, std::move(limit)));
  }
  return RunStream(bench, job, std::move(wait),
                   Scheduled<Limit, Even>(schedule, pairs, bench.clock, std::move(limit)));
}

template <class Wait>
JobRun RunSink(const Bench& bench, const Job& job, Wait wait) {
  JobRun run;
  VerbsSink sink = MakeSink(bench);
  bench.opening();
  run.loop = Drive(
                 bench.clock, std::move(wait), bench.stop, bench.progress, [](std::size_t) {}, sink)
                 .loop();
  run.received = Account(sink, job);
  return run;
}

template <class Wait>
JobRun RunWith(const Bench& bench, const Job& job, Wait wait) {
  if (!job.duty.streams) return RunSink(bench, job, std::move(wait));
  if (!job.op->TakesReceives()) return RunPaced(bench, job, std::move(wait), Unpaced{});
  const auto pairs = static_cast<std::uint32_t>(bench.endpoint.queue_pairs().size());
  return RunPaced(bench, job, std::move(wait),
                  Credits(*bench.control, job.shares_receive_queue ? 1 : pairs,
                          {.depth = job.receive.depth,
                           .post_list = job.shape.post_list,
                           .is_shared = job.shares_receive_queue,
                           .patience_ticks = job.credit_patience_ticks},
                          bench.clock));
}

}  // namespace

JobRun RunBandwidth(const Bench& bench, const Job& job) {
  JobRun run;
  WithWait(bench.endpoint, [&](auto wait) { run = RunWith(bench, job, std::move(wait)); });
  return run;
}

}  // namespace rdmabench
