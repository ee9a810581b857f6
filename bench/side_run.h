// What one side did for one size, and its form on the session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/rail_run.h"
#include "bench/whereabouts.h"
#include "report/histogram.h"
#include "report/report.h"
#include "report/statistics.h"

namespace rdmabench {

struct RoundTrips {
  report::Histogram histogram;  // in ticks
  double ns_per_tick = 1.0;
  std::uint64_t lost = 0;  // replies that did not come in time
  // One by one, in ticks, where that was asked for: by worker, then in order. They are not part of
  // the results on the session.
  std::vector<std::uint64_t> kept;
};

// What an open loop was to do, and how far it kept up.
struct OpenRun {
  std::uint64_t planned = 0;  // messages
  double offered_messages_per_second = 0.0;
  std::uint64_t backlog_max = 0;  // messages due and not sent; of several threads, the sum of each
  std::uint64_t backlog_end = 0;  // … when the plan ended
  RoundTrips service;             // from the post, where round_trips are from the planned time
};

// How a window ended that was to end when its rate is known well enough.
struct UntilRun {
  bool reached = false;
  std::optional<double> half_width_percent;  // absent: there were too few intervals
};

struct SideRun {
  bool complete = false;                      // ran to its end
  std::optional<report::Traffic> sent;        // absent: this side initiated nothing
  std::optional<report::Traffic> received;    // absent: nothing that could be counted arrived here
  std::optional<report::Arrivals> arrivals;   // of `received`, where messages are numbered
  std::optional<RoundTrips> round_trips;      // absent: this side did not measure them
  std::optional<OpenRun> open_loop;           // where they are of one
  std::optional<std::uint64_t> arrival_seed;  // where this side sent at random times
  // When the windows of `sent` and `received` opened, by the system's clock of this side; 0: they
  // did not.
  std::uint64_t sent_opened_ns = 0;
  std::uint64_t received_opened_ns = 0;
  std::vector<report::ProgressSample> samples;  // of what counts, since the window opened
  report::CounterDeltas counters;  // of this side's ports and interfaces, around the window
  std::vector<RailRun> rails;      // of each device, where there are several
  std::optional<report::CpuCost> cpu;
  std::optional<double> clock_drift_ppm;  // over the window; absent where it cannot be told
  std::optional<report::Verification> verification;  // of what arrived on this side
  std::uint64_t warmup_messages = 0;
  double warmup_seconds = 0.0;
  std::optional<bool> warmup_steady;                // absent: this side did not look
  std::optional<UntilRun> until;                    // absent: this side did not decide it
  std::optional<report::ClockOffset> clock_offset;  // known to the client alone, and not told
  std::optional<report::Memory> memory;             // of this side's messages
  std::uint32_t inline_bytes = 0;                   // granted
  bool inline_used = false;
  Whereabouts whereabouts;
  std::vector<std::string> warnings;  // of what this side's devices told since the last account
};

nlohmann::json SideRunToJson(const SideRun& run);
// Checks every field; throws Error(kRun). `queue_pairs`: at most so many counts; `rails`: of so
// many devices.
SideRun SideRunFromJson(const nlohmann::json& json, std::uint32_t queue_pairs,
                        std::size_t rails = 1);

}  // namespace rdmabench
