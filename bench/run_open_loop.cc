#include <utility>

#include "bench/answers.h"
#include "bench/channel.h"
#include "bench/job_engines.h"
#include "bench/lanes.h"
#include "bench/latency_run.h"
#include "bench/open_answers.h"
#include "bench/open_ping.h"

namespace rdmabench {
namespace {

BySlot WatchSlots(const Bench& bench, const Job& job) {
  const std::uint32_t pairs = QueuePairsIn(bench.endpoint);
  const SlotLayout layout = LayoutFor(job.shape, pairs);
  const std::uint64_t last = layout.Offset(0) + job.shape.message_bytes - 1;
  return BySlot({.arriving = bench.endpoint.exposed_data() + last,
                 .leaving = bench.endpoint.own_data() + last,
                 .stride = layout.stride,
                 .lanes = pairs,
                 .slots = job.shape.Slots(),
                 .in_order = !job.type->loses});
}

template <class Arrivals, class Wait, class Answer>
JobRun RunPing(const Bench& bench, const Job& job, Wait wait, Answer answer) {
  return WithProbe(bench, [&]<class Probe>(Probe& probe) {
    OpenPing<VerbsChannel, Answer, Arrivals, Probe, report::Histogram> ping(
        {.messages = job.messages,
         .window = job.shape.window,
         .reply_timeout_ticks = job.reply_timeout_ticks,
         .schedule = ScheduleFor(bench, job)},
        MakeLatencyLanes(bench.endpoint, job), std::move(answer), bench.clock,
        {.response = probe, .service = *bench.service_times});
    JobRun run = RunInitiator<Answer>(bench, std::move(wait), ping);
    run.planned = {.messages = ping.planned(),
                   .per_tick = ping.offered_per_tick(),
                   .backlog_max = ping.backlog_max(),
                   .backlog_end = ping.backlog_end()};
    return run;
  });
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
