// The driver: runs any set of engines over a worker's completion queues until they are done, told
// to finish, or aborted.
#pragma once

#include <atomic>
#include <cstdint>

#include "bench/clock.h"

namespace rdmabench {

// What ended an engine before its time; the words are made outside the loop (see failure_text.h).
struct Failure {
  enum class What { kNone, kPost, kPoll, kCompletion };
  What what = What::kNone;
  int code = 0;  // errno value of a post, return value of a poll, ibv_wc_status of a completion
  std::uint32_t qpn = 0;
  std::uint32_t vendor_error = 0;
};

// Set by the session thread, read by drivers once per poll batch.
struct StopFlags {
  const std::atomic<bool>& abort;  // leave at once
  std::atomic<bool>& finish;       // post no more than completes the unit under way, then leave
};

enum class Outcome { kDone, kAborted, kFailed };

struct LoopResult {
  Outcome outcome = Outcome::kDone;
  // The window: before the first post, after the last completion that counts.
  std::uint64_t start_ticks = 0;
  std::uint64_t end_ticks = 0;
  Failure failure;
};

// `progress` gets the messages completed so far, once per pass, for the session thread to sample.
template <class Wait, class Engine>
LoopResult Drive(const TickClock& clock, Wait wait, const StopFlags& stop,
                 std::atomic<std::uint64_t>& progress, Engine& engine) {
  LoopResult result;
  result.start_ticks = clock.Now();
  bool finishing = false;
  while (!engine.Done()) {
    if (!engine.Step()) [[unlikely]] {
      result.outcome = Outcome::kFailed;
      result.failure = engine.failure();
      break;
    }
    progress.store(engine.completed(), std::memory_order_relaxed);
    if (stop.abort.load(std::memory_order_relaxed)) [[unlikely]] {
      result.outcome = Outcome::kAborted;
      break;
    }
    if (stop.finish.load(std::memory_order_relaxed) && !finishing) [[unlikely]] {
      finishing = true;
      engine.Finish();
    }
    wait();
  }
  result.end_ticks = clock.Now();
  return result;
}

}  // namespace rdmabench
