#include <utility>

#include "bench/answers.h"
#include "bench/channel.h"
#include "bench/content.h"
#include "bench/job_engines.h"
#include "bench/lanes.h"
#include "bench/ping.h"
#include "bench/run_echo.h"

namespace rdmabench {
namespace {

ByMemory WatchMemory(const Bench& bench, const Job& job) {
  const auto pairs = static_cast<std::uint32_t>(bench.endpoint.queue_pairs().size());
  const SlotLayout layout = LayoutFor(job.shape, pairs);
  std::vector<ByMemory::Slot> slots;
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const std::uint64_t last = layout.Offset(i) + job.shape.message_bytes - 1;
    slots.push_back({bench.endpoint.exposed_data() + last, bench.endpoint.own_data() + last});
  }
  return ByMemory(slots);
}

ByReceive WatchReceives(const Bench& bench) {
  return {bench.rings, Pointers(bench.endpoint.recv_cqs())};
}

template <class Wait, class Answer, class Content, class Probe>
JobRun RunProbed(const Bench& bench, const Job& job, Wait wait, Answer answer, Content content,
                 Probe& probe) {
  JobRun run;
  Ping<VerbsChannel, Answer, Probe, Content> ping(
      {.messages = job.messages, .reply_timeout_ticks = job.reply_timeout_ticks},
      MakeLatencyLanes(bench, job, std::move(content)), std::move(answer), bench.clock, probe);
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
  if constexpr (!Answer::kMarks && !Answer::kOwnCompletions) {
    run.received.opcode = Seen(ping.completed(), ping.received_opcode());
  }
  return run;
}

template <class Wait, class Answer, class Content>
JobRun RunPing(const Bench& bench, const Job& job, Wait wait, Answer answer, Content content) {
  if (bench.kept == nullptr) {
    return RunProbed(bench, job, std::move(wait), std::move(answer), std::move(content),
                     *bench.round_trips);
  }
  RecordAndKeep probe{*bench.round_trips, *bench.kept};
  return RunProbed(bench, job, std::move(wait), std::move(answer), std::move(content), probe);
}

template <class Wait, class Answer, class Content>
JobRun RunAnswered(const Bench& bench, const Job& job, Wait wait, Answer answer, Content content) {
  // What completes by itself has no echo.
  if constexpr (!Answer::kOwnCompletions) {
    if (job.duty.echoes) {
      return RunEcho(bench, job, std::move(wait), std::move(answer), std::move(content));
    }
  }
  return RunPing(bench, job, std::move(wait), std::move(answer), std::move(content));
}

template <class Wait, class Answer>
JobRun RunChecked(const Bench& bench, const Job& job, Wait wait, Answer answer) {
  if (!job.verifying) {
    return RunAnswered(bench, job, std::move(wait), std::move(answer), AnyContent{});
  }
  RoundTripContent content(bench, job);
  const SharedContent shared(content);
  JobRun run =
      RunAnswered(bench, job, std::move(wait), Verified<Answer>(std::move(answer), shared), shared);
  run.audit = content.audit();
  return run;
}

template <class Wait>
JobRun RunWith(const Bench& bench, const Job& job, Wait wait) {
  switch (job.op->reply) {
    case Reply::kMemory:
      return RunChecked(bench, job, std::move(wait), WatchMemory(bench, job));
    case Reply::kReceive:
      return RunChecked(bench, job, std::move(wait), WatchReceives(bench));
    case Reply::kCompletion:
      break;
  }
  return RunChecked(bench, job, std::move(wait), ByCompletion{});
}

}  // namespace

JobRun RunLatency(const Bench& bench, const Job& job) {
  JobRun run;
  WithWait(bench.endpoint, [&](auto wait) { run = RunWith(bench, job, std::move(wait)); });
  return run;
}

}  // namespace rdmabench
