// The driver: runs any set of engines over a worker's completion queues until they are done, told
// to finish, or aborted.
//
// An engine has Step(), which makes what progress it can and is false when the run has failed;
// Done(); Finish(), after which it ends as soon as it can; completed(), messages so far; starved(),
// whether it waits for something that makes no completion; and failure().
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "bench/clock.h"

namespace rdmabench {

// What ended an engine before its time; the words are made outside the loop (see failure_text.h).
struct Failure {
  enum class What { kNone, kPost, kPoll, kCompletion, kReceive };
  What what = What::kNone;
  int code = 0;  // errno value of a post, return value of a poll, ibv_wc_status of a completion
  std::uint32_t qpn = 0;
  std::uint32_t vendor_error = 0;
};

[[gnu::cold]] inline Failure FailureOf(const ibv_wc& completion) {
  return {.what = Failure::What::kCompletion,
          .code = static_cast<int>(completion.status),
          .qpn = completion.qp_num,
          .vendor_error = completion.vendor_err};
}

// Set by the session thread, read by drivers once per poll batch.
struct StopFlags {
  const std::atomic<bool>& abort;  // leave at once
  std::atomic<bool>& finish;       // post no more than completes the unit under way, then leave
};

enum class Outcome { kDone, kAborted, kFailed };

struct LoopResult {
  Outcome outcome = Outcome::kDone;
  // The window of all engines: before the first post, after the last completion that counts.
  std::uint64_t start_ticks = 0;
  std::uint64_t end_ticks = 0;
  Failure failure;
};

template <std::size_t kEngines>
struct DriveResult : LoopResult {
  const LoopResult& loop() const { return *this; }

  std::array<std::uint64_t, kEngines> done_ticks{};  // when each engine was done; 0: it was not
};

// `progress` gets the messages completed so far, once per pass, for the session thread to sample.
// `done` is called once for each engine that is done, with its index, while others may go on.
template <class Wait, class Done, class... Engines>
DriveResult<sizeof...(Engines)> Drive(const TickClock& clock, Wait wait, const StopFlags& stop,
                                      std::atomic<std::uint64_t>& progress, const Done& done,
                                      Engines&... engines) {
  DriveResult<sizeof...(Engines)> result;
  std::size_t open = sizeof...(Engines);
  bool finishing = false;
  // Steps an engine that is not done yet; false: it has failed.
  const auto step = [&](auto& engine, std::size_t index) {
    if (result.done_ticks[index] != 0) return true;
    if (!engine.Step()) [[unlikely]] {
      result.failure = engine.failure();
      return false;
    }
    if (engine.Done()) [[unlikely]] {
      result.done_ticks[index] = clock.Now();
      --open;
      done(index);
    }
    return true;
  };
  result.start_ticks = clock.Now();
  const auto all_are_done = [&open] { return open == 0; };
  while (!all_are_done()) {
    std::size_t index = 0;
    if (!(step(engines, index++) && ...)) [[unlikely]] {
      result.outcome = Outcome::kFailed;
      break;
    }
    const std::uint64_t completed = (engines.completed() + ...);
    progress.store(completed, std::memory_order_relaxed);
    if (stop.abort.load(std::memory_order_relaxed)) [[unlikely]] {
      result.outcome = Outcome::kAborted;
      break;
    }
    if (stop.finish.load(std::memory_order_relaxed) && !finishing) [[unlikely]] {
      finishing = true;
      (engines.Finish(), ...);
    }
    wait(completed, (engines.starved() || ...));
  }
  result.end_ticks = clock.Now();
  return result;
}

}  // namespace rdmabench
