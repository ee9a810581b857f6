#include <utility>

#include "bench/answers.h"
#include "bench/channel.h"
#include "bench/content.h"
#include "bench/job_engines.h"
#include "bench/lanes.h"
#include "bench/latency_run.h"
#include "bench/ping.h"

namespace rdmabench {
namespace {

template <class Wait, class Answer, class Content>
JobRun RunPing(const Bench& bench, const Job& job, Wait wait, Answer answer, Content content) {
  return WithProbe(bench, [&]<class Probe>(Probe& probe) {
    Ping<VerbsChannel, Answer, Probe, Content> ping(
        {.messages = job.messages, .reply_timeout_ticks = job.reply_timeout_ticks},
        MakeLatencyLanes(bench.endpoint, job, std::move(content)), std::move(answer), bench.clock,
        probe);
    return RunInitiator<Answer>(bench, std::move(wait), ping);
  });
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
      return RunChecked(bench, job, std::move(wait), WatchMemory(bench.endpoint, job));
    case Reply::kReceive:
      return RunChecked(bench, job, std::move(wait), WatchReceives<Unnamed>(bench));
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
