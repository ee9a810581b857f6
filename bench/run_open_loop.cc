#include <utility>

#include "bench/answers.h"
#include "bench/channel.h"
#include "bench/job_engines.h"
#include "bench/lanes.h"
#include "bench/open_answers.h"
#include "bench/open_ping.h"
#include "bench/run_echo.h"

namespace rdmabench {
namespace {

BySlot WatchSlots(const Bench& bench, const Job& job) {
  const auto pairs = static_cast<std::uint32_t>(bench.endpoint.queue_pairs().size());
  const std::uint64_t last = job.shape.message_bytes - 1;
  return BySlot({.arriving = bench.endpoint.exposed_data() + last,
                 .leaving = bench.endpoint.own_data() + last,
                 .stride = LayoutFor(job.shape, pairs).stride,
                 .lanes = pairs,
                 .slots = job.shape.Slots(),
                 .in_order = !job.type->loses});
}

template <class Naming>
ByReceiveOf<Naming> WatchReceives(const Bench& bench) {
  return {bench.rings, Pointers(bench.endpoint.recv_cqs())};
}

template <class Arrivals, class Wait, class Answer, class Probe>
JobRun RunProbed(const Bench& bench, const Job& job, Wait wait, Answer answer, Probe& probe) {
  JobRun run;
  OpenPing<VerbsChannel, Answer, Arrivals, Probe, report::Histogram> ping(
      {.messages = job.messages,
       .window = job.shape.window,
       .reply_timeout_ticks = job.reply_timeout_ticks,
       .schedule = ScheduleFor(bench, job)},
      MakeLatencyLanes(bench, job), std::move(answer), bench.clock,
      {.response = probe, .service = *bench.service_times});
  bench.opening();
  run.loop = Drive(
                 bench.clock, std::move(wait), bench.stop, bench.progress,
                 [&](std::size_t) { bench.sent(ping.sent()); }, ping)
                 .loop();
  run.sent = {.messages = ping.completed(),
              .per_queue_pair = ping.counts(),
              .start_ticks = ping.first_ticks(),
              .end_ticks = ping.last_ticks(),
              .opcode = Seen(ping.completed(), ping.sent_opcode()),
              .lost_replies = ping.lost()};
  run.planned = {.messages = ping.planned(),
                 .per_tick = ping.offered_per_tick(),
                 .backlog_max = ping.backlog_max(),
                 .backlog_end = ping.backlog_end()};
  if constexpr (!Answer::kMarks && !Answer::kOwnCompletions) {
    run.received.opcode = Seen(ping.completed(), ping.received_opcode());
  }
  return run;
}

template <class Arrivals, class Wait, class Answer>
JobRun RunPing(const Bench& bench, const Job& job, Wait wait, Answer answer) {
  if (bench.kept == nullptr) {
    return RunProbed<Arrivals>(bench, job, std::move(wait), std::move(answer), *bench.round_trips);
  }
  RecordAndKeep probe{*bench.round_trips, *bench.kept};
  return RunProbed<Arrivals>(bench, job, std::move(wait), std::move(answer), probe);
}

// READ and atomics have no echo.
template <class Wait, class Answer>
JobRun RunSide(const Bench& bench, const Job& job, Wait wait, Answer answer) {
  if constexpr (!Answer::kOwnCompletions) {
    if (job.duty.echoes) return RunEcho(bench, job, std::move(wait), std::move(answer));
  }
  return job.at_random ? RunPing<Poisson>(bench, job, std::move(wait), std::move(answer))
                       : RunPing<Even>(bench, job, std::move(wait), std::move(answer));
}

template <class Wait>
JobRun RunWith(const Bench& bench, const Job& job, Wait wait) {
  if (job.op->reply == Reply::kCompletion) {
    return RunSide(bench, job, std::move(wait), ByCompletion{});
  }
  if (job.op->reply == Reply::kMemory) {
    return RunSide(bench, job, std::move(wait), WatchSlots(bench, job));
  }
  if (!job.type->loses) {
    return RunSide(bench, job, std::move(wait), WatchReceives<Unnamed>(bench));
  }
  return job.op->immediate ? RunSide(bench, job, std::move(wait), WatchReceives<InImmediate>(bench))
                           : RunSide(bench, job, std::move(wait), WatchReceives<InPayload>(bench));
}

}  // namespace

JobRun RunOpenLoop(const Bench& bench, const Job& job) {
  JobRun run;
  WithWait(bench.endpoint, [&](auto wait) { run = RunWith(bench, job, std::move(wait)); });
  return run;
}

}  // namespace rdmabench
