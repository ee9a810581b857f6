// What latency runs share, whether each message waits for the answer before or not: how messages
// are seen, the measuring side and the answering one.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "bench/answers.h"
#include "bench/echo.h"
#include "bench/job_engines.h"
#include "bench/sample_log.h"

namespace rdmabench {

inline std::optional<ibv_wc_opcode> Seen(std::uint64_t messages, ibv_wc_opcode opcode) {
  return messages > 0 ? std::optional(opcode) : std::nullopt;
}

template <class Naming>
ByReceiveOf<Naming> WatchReceives(const Bench& bench) {
  return {bench.rings, Pointers(bench.endpoint.recv_cqs())};
}

// Calls `run` with what round trips are recorded in.
template <class Run>
JobRun WithProbe(const Bench& bench, const Run& run) {
  if (bench.kept == nullptr) return run(*bench.round_trips);
  RecordAndKeep probe{*bench.round_trips, *bench.kept};
  return run(probe);
}

// Runs an engine that measures round trips.
template <class Answer, class Wait, class Engine>
JobRun RunInitiator(const Bench& bench, Wait wait, Engine& engine) {
  JobRun run;
  bench.opening();
  run.loop = Drive(
                 bench.clock, std::move(wait), bench.stop, bench.progress,
                 [&](std::size_t) { bench.sent(engine.sent()); }, engine)
                 .loop();
  run.sent = {.messages = engine.completed(),
              .per_queue_pair = engine.counts(),
              .start_ticks = engine.first_ticks(),
              .end_ticks = engine.last_ticks(),
              .opcode = Seen(engine.completed(), engine.sent_opcode()),
              .lost_replies = engine.lost()};
  if constexpr (!Answer::kMarks && !Answer::kOwnCompletions) {
    run.received.opcode = Seen(engine.completed(), engine.received_opcode());
  }
  return run;
}

template <class Wait, class Answer, class Content = AnyContent>
JobRun RunEcho(const Bench& bench, const Job& job, Wait wait, Answer answer, Content content = {}) {
  JobRun run;
  Echo<VerbsChannel, Answer, Content> echo(
      MakeLatencyLanes(bench.endpoint, job, std::move(content)), std::move(answer), bench.expected);
  bench.opening();
  run.loop = Drive(
                 bench.clock, std::move(wait), bench.stop, bench.progress, [](std::size_t) {}, echo)
                 .loop();
  run.received.messages = echo.completed();
  if constexpr (!Answer::kMarks) {
    run.received.bytes = echo.bytes() - echo.completed() * job.type->recv_headroom;
    run.received.opcode = Seen(echo.completed(), echo.received_opcode());
  }
  return run;
}

}  // namespace rdmabench
