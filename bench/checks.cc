#include "bench/checks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bench/content_check.h"
#include "bench/op.h"
#include "bench/port_checks.h"
#include "bench/run_checks.h"
#include "bench/test.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

using report::Direction;
using report::Traffic;

constexpr std::size_t kHosts = 2;
constexpr double kSteadyPpm = 50.0;
constexpr double kWindowTolerance = 0.05;
constexpr double kDepthTolerance = 0.02;
constexpr double kSecondsPerNs = 1e-9;
// Ethernet's clock may be off by 100 parts per million, PCIe's by 300.
constexpr double kBoundTolerance = 1.001;
constexpr double kShortestWindowCompared = 1.0;  // seconds
// Of the send queue: a receiver's window lacks its first and its last message's way, a turn at
// most.
constexpr std::uint64_t kFewestTurnsCompared = 100;

struct Context : CheckInput {
  const Op& op;
  const QpType& type;
};

double Real(std::uint64_t value) { return static_cast<double>(value); }

bool BothCounted(const report::Result& result) {
  return !result.traffic.empty() &&
         std::all_of(result.traffic.begin(), result.traffic.end(),
                     [](const Direction& direction) { return direction.received.has_value(); });
}

// Messages that have come twice or, being late, may have. Known where they are numbered.
std::uint64_t Repeated(const Direction& direction) {
  if (!direction.delivery || !direction.delivery->arrivals) return 0;
  return direction.delivery->arrivals->duplicated + direction.delivery->arrivals->late;
}

// Of one direction. A ping counts answers, so what was sent is more by those that did not come. Of
// what may get lost on its way only as much as was sent can arrive, but for what came twice.
bool Arrived(const Context& context, const Direction& direction) {
  const report::Result& result = context.result;
  const std::uint64_t lost = result.latency ? result.latency->lost_replies : 0;
  const std::uint64_t messages = direction.sent.messages + lost;
  const std::uint64_t bytes = direction.sent.bytes + lost * result.message_bytes;
  const Traffic& received = *direction.received;
  if (context.type.loses) {
    const std::uint64_t extra = Repeated(direction);
    return received.messages <= messages + extra &&
           received.bytes <= bytes + extra * result.message_bytes;
  }
  return received.messages == messages && received.bytes == bytes;
}

// The receiver's count of messages and of bytes, from its completions, against the sender's.
std::optional<report::Check> ReceivedAsSent(const Context& context) {
  if (!BothCounted(context.result)) return std::nullopt;
  std::uint64_t sent = 0, received = 0, sent_bytes = 0, received_bytes = 0, extra = 0;
  bool ok = true;
  for (const Direction& direction : context.result.traffic) {
    ok = ok && Arrived(context, direction);
    sent += direction.sent.messages;
    sent_bytes += direction.sent.bytes;
    received += direction.received->messages;
    received_bytes += direction.received->bytes;
    extra += Repeated(direction);
  }
  report::Check check{.name = "received_as_sent",
                      .ok = ok,
                      .figures = {{"sent_messages", Real(sent)},
                                  {"received_messages", Real(received)},
                                  {"sent_bytes", Real(sent_bytes)},
                                  {"received_bytes", Real(received_bytes)}},
                      .text = ok ? "" : "the two ends do not count the same"};
  if (extra > 0) check.figures.emplace_back("repeated_messages", Real(extra));
  return check;
}

// Each queue pair's own count against the total, of each account for itself.
std::optional<report::Check> QueuePairsAddUp(const Context& context) {
  std::uint64_t total = 0, sum = 0;
  bool ok = true;
  const auto add = [&](const Traffic& traffic) {
    const std::vector<std::uint64_t>& counts = traffic.messages_per_queue_pair;
    if (counts.empty()) return;
    const std::uint64_t counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    ok = ok && counted == traffic.messages;
    total += traffic.messages;
    sum += counted;
  };
  for (const Direction& direction : context.result.traffic) {
    add(direction.sent);
    if (direction.received) add(*direction.received);
  }
  if (total == 0) return std::nullopt;
  return report::Check{.name = "queue_pairs_add_up",
                       .ok = ok,
                       .figures = {{"total_messages", Real(total)}, {"sum_messages", Real(sum)}},
                       .text = ok ? "" : "messages were counted for no queue pair, or twice"};
}

// What the device says that it has done, against what it was asked to do.
std::optional<report::Check> CompletionsNameTheOp(const Context& context) {
  double wrong = 0, seen = 0;
  const auto look = [&](const std::optional<std::string>& opcode, ibv_wc_opcode expected) {
    if (!opcode) return;
    ++seen;
    if (*opcode != OpcodeName(expected)) ++wrong;
  };
  for (const Direction& direction : context.result.traffic) {
    look(direction.sent.completion_opcode, context.op.sent);
    if (direction.received) look(direction.received->completion_opcode, context.op.received);
  }
  if (seen == 0) return std::nullopt;
  return report::Check{
      .name = "completions_name_the_op",
      .ok = wrong == 0,
      .figures = {{"sides", seen}, {"wrong_sides", wrong}},
      .text = wrong == 0 ? "" : "completions are of another operation than was posted"};
}

// The histogram's count against the loop's.
std::optional<report::Check> SamplesAreMessages(const Context& context) {
  const report::Result& result = context.result;
  if (!result.latency) return std::nullopt;
  const bool ok = result.latency->samples == result.messages;
  return report::Check{
      .name = "samples_are_messages",
      .ok = ok,
      .figures = {{"samples", Real(result.latency->samples)}, {"messages", Real(result.messages)}},
      .text = ok ? "" : "not every message has its sample, or some have two"};
}

// The printed rate, times what a clock says that a place in the queue takes to come round, against
// the depth (Little's law). What is not in flight waits for the host to fill the queue again.
std::optional<report::Check> InFlightIsTheDepth(const Context& context) {
  const report::Result& result = context.result;
  if (!result.bandwidth || result.traffic.empty()) return std::nullopt;
  // Of a result that is one sender's the headline has to agree, too.
  const bool is_senders = result.traffic.size() == 1 && !context.type.loses;
  double in_flight = 0, refilling = 0;
  for (const Direction& direction : result.traffic) {
    const std::optional<report::QueueTurn>& turn = direction.sent.queue_turn;
    if (!turn || direction.sent.window_seconds <= 0.0) return std::nullopt;
    const double rate = is_senders ? result.bandwidth->messages_per_second
                                   : Real(direction.sent.messages) / direction.sent.window_seconds;
    in_flight += rate * (turn->turn_ns - turn->refill_ns) * kSecondsPerNs;
    refilling += rate * turn->refill_ns * kSecondsPerNs;
  }
  const double depth =
      Real(std::uint64_t{result.effective.send_depth} * result.queue_pairs * result.traffic.size());
  const bool ok = std::abs(in_flight + refilling - depth) <= kDepthTolerance * depth;
  return report::Check{.name = "in_flight_is_the_depth",
                       .ok = ok,
                       .figures = {{"depth_messages", depth},
                                   {"in_flight_messages", in_flight},
                                   {"refilling_messages", refilling}},
                       .text = ok ? "" : "the rate is not that at which the send queues turn over"};
}

// Two machines, two clocks, one window but for what is in flight at its ends.
std::optional<report::Check> WindowsAgree(const Context& context) {
  const report::Result& result = context.result;
  if (!result.bandwidth || !BothCounted(result) || context.type.loses) return std::nullopt;
  const std::uint64_t in_flight = std::uint64_t{result.effective.send_depth} * result.queue_pairs;
  double worst = 0, sent = 0, received = 0;
  for (const Direction& direction : result.traffic) {
    const double seconds = direction.sent.window_seconds;
    if (seconds < kShortestWindowCompared ||
        direction.sent.messages < kFewestTurnsCompared * in_flight) {
      return std::nullopt;
    }
    const double apart = std::abs(direction.received->window_seconds - seconds) / seconds;
    if (apart < worst) continue;
    worst = apart;
    sent = seconds;
    received = direction.received->window_seconds;
  }
  const bool ok = worst <= kWindowTolerance;
  return report::Check{.name = "windows_agree",
                       .ok = ok,
                       .figures = {{"sender_seconds", sent}, {"receiver_seconds", received}},
                       .text = ok ? "" : "sender and receiver do not mean the same time"};
}

// The cycle counter in the window against its calibration before.
std::optional<report::Check> ClocksAreSteady(const Context& context) {
  report::Check check{.name = "clocks_are_steady", .ok = true, .figures = {}, .text = {}};
  for (std::size_t host = 0; host < kHosts; ++host) {
    const std::optional<double>& drift = context.clock_drift_ppm[host];
    if (!drift) continue;
    check.figures.emplace_back(host == 0 ? "client_ppm" : "server_ppm", *drift);
    check.ok = check.ok && std::abs(*drift) < kSteadyPpm;
  }
  if (check.figures.empty()) return std::nullopt;
  if (!check.ok) check.text = "a cycle counter does not keep its rate: times are wrong by as much";
  return check;
}

// The rate against the lowest of what is known to bound it. Completions of messages that may get
// lost say only that they have left, and those on their way out are beyond any bound.
std::optional<report::Check> RateWithinBounds(const Context& context) {
  const report::Result& result = context.result;
  if (!result.bandwidth || !result.bounds || !result.bounds->lowest) return std::nullopt;
  if (context.type.loses && !BothCounted(result)) return std::nullopt;
  const double rate = result.bandwidth->bytes_per_second;
  const report::Bound& lowest = result.bounds->limits[*result.bounds->lowest];
  const bool ok = rate <= *lowest.bytes_per_second * kBoundTolerance;
  return report::Check{
      .name = "rate_within_bounds",
      .ok = ok,
      .figures = {{"bytes_per_second", rate}, {"bound_bytes_per_second", *lowest.bytes_per_second}},
      .text = ok ? "" : "the rate is above what this allows: " + lowest.name + ", " + lowest.text};
}

using CheckFunction = std::optional<report::Check> (*)(const Context&);

constexpr CheckFunction kChecks[] = {
    [](const Context& context) { return ContentAsSent(context.result, context.type.loses); },
    ReceivedAsSent,
    QueuePairsAddUp,
    CompletionsNameTheOp,
    [](const Context& context) { return PortsCountThePackets(context); },
    [](const Context& context) { return NoErrorsCounted(context); },
    [](const Context& context) { return NoCongestionCounted(context); },
    SamplesAreMessages,
    InFlightIsTheDepth,
    WindowsAgree,
    ClocksAreSteady,
    RateWithinBounds,
    [](const Context& context) { return RateIsKept(context.result); },
    [](const Context& context) { return DirectionsOverlap(context.result); },
    [](const Context& context) { return IntervalIsNarrow(context.result); },
};

}  // namespace

std::vector<report::Check> ChecksOf(const CheckInput& input) {
  std::vector<report::Check> checks;
  if (!input.result.complete) return checks;
  const Context context{input, *FindTest(input.result.test).op, FindQpType(input.result.qp_type)};
  for (const CheckFunction check : kChecks) {
    if (std::optional<report::Check> found = check(context)) checks.push_back(std::move(*found));
  }
  return checks;
}

}  // namespace rdmabench
