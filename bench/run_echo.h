// The answering side of a latency test, whatever the way in which messages are told apart.
#pragma once

#include <optional>
#include <utility>

#include "bench/echo.h"
#include "bench/job_engines.h"

namespace rdmabench {

inline std::optional<ibv_wc_opcode> Seen(std::uint64_t messages, ibv_wc_opcode opcode) {
  return messages > 0 ? std::optional(opcode) : std::nullopt;
}

template <class Wait, class Answer, class Content = AnyContent>
JobRun RunEcho(const Bench& bench, const Job& job, Wait wait, Answer answer, Content content = {}) {
  JobRun run;
  Echo<VerbsChannel, Answer, Content> echo(MakeLatencyLanes(bench, job, std::move(content)),
                                           std::move(answer), bench.expected);
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
