#include "bench/checks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "bench/test.h"
#include "transport/counter_table.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

using report::Direction;
using report::Traffic;

constexpr double kMostDriftPpm = 50.0;
constexpr double kInFlightTolerance = 0.02;
constexpr double kWindowTolerance = 0.05;
constexpr double kShortestWindowCompared = 1.0;  // seconds

struct Context : CheckInput {
  const Op& op;
  const QpType& type;
};

bool IsPaced(const Rate& rate) { return rate.bits_per_second || rate.messages_per_second; }

double Real(std::uint64_t value) { return static_cast<double>(value); }

bool BothCounted(const report::Result& result) {
  return !result.traffic.empty() &&
         std::all_of(result.traffic.begin(), result.traffic.end(),
                     [](const Direction& direction) { return direction.received.has_value(); });
}

// The receiver's count of messages and of bytes, from its completions. Of what may get lost on its
// way only as much as was sent can arrive.
std::optional<report::Check> ReceivedAsSent(const Context& context) {
  if (!BothCounted(context.result)) return std::nullopt;
  std::uint64_t sent = 0, received = 0, sent_bytes = 0, received_bytes = 0;
  for (const Direction& direction : context.result.traffic) {
    sent += direction.sent.messages;
    sent_bytes += direction.sent.bytes;
    received += direction.received->messages;
    received_bytes += direction.received->bytes;
  }
  const bool loses = context.type.loses;
  const bool ok = loses ? received <= sent && received_bytes <= sent_bytes
                        : received == sent && received_bytes == sent_bytes;
  return report::Check{.name = "received_as_sent",
                       .ok = ok,
                       .figures = {{"sent_messages", Real(sent)},
                                   {"received_messages", Real(received)},
                                   {"sent_bytes", Real(sent_bytes)},
                                   {"received_bytes", Real(received_bytes)}},
                       .text = ok ? "" : "the two ends do not count the same"};
}

// Each queue pair's own count against the total.
std::optional<report::Check> QueuePairsAddUp(const Context& context) {
  std::uint64_t total = 0, sum = 0;
  const auto add = [&](const Traffic& traffic) {
    const std::vector<std::uint64_t>& counts = traffic.messages_per_queue_pair;
    if (counts.empty()) return;
    total += traffic.messages;
    sum += std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  for (const Direction& direction : context.result.traffic) {
    add(direction.sent);
    if (direction.received) add(*direction.received);
  }
  if (total == 0) return std::nullopt;
  return report::Check{
      .name = "queue_pairs_add_up",
      .ok = total == sum,
      .figures = {{"total_messages", Real(total)}, {"sum_messages", Real(sum)}},
      .text = total == sum ? "" : "messages were counted for no queue pair, or twice"};
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

const report::CounterDeltas& CountersOf(const report::Result& result, std::size_t host) {
  return host == 0 ? result.counters.client : result.counters.server;
}

std::string_view DriverOf(const Context& context, std::size_t host) {
  if (host >= context.hosts.size() || !context.hosts[host].device) return {};
  const std::optional<std::string>& driver = context.hosts[host].device->driver;
  return driver ? std::string_view(*driver) : std::string_view();
}

// Absent where the port does not count packets. The driver's own counter says more than the
// standard one, which some drivers leave at 0.
std::optional<double> Packets(const Context& context, std::size_t host, CounterKind kind) {
  std::optional<double> packets;
  for (const auto& [name, move] : CountersOf(context.result, host)) {
    const CounterMeaning* meaning = FindCounter(DriverOf(context, host), name);
    if (meaning == nullptr || meaning->kind != kind) continue;
    packets = std::max(packets.value_or(0.0), static_cast<double>(move));
  }
  return packets;
}

// At least one packet for each message, and one for each MTU of its payload, has to leave the port
// from which the payload comes, and to reach the other one.
std::optional<report::Check> PortsCountThePackets(const Context& context) {
  const report::Result& result = context.result;
  if (result.effective.mtu_bytes == 0 || result.traffic.size() != 1) return std::nullopt;
  const Direction& direction = result.traffic.front();
  const std::uint64_t mtu = result.effective.mtu_bytes;
  const std::uint64_t per_message =
      std::max<std::uint64_t>(1, (result.message_bytes + mtu - 1) / mtu);
  const bool pulls = context.op.IsBoundByReadDepth();
  const std::size_t source = pulls ? direction.to : direction.from;
  const std::size_t sink = pulls ? direction.from : direction.to;
  const double needed = Real(direction.sent.messages * per_message);
  const std::optional<double> left = Packets(context, source, CounterKind::kPacketsSent);
  const std::optional<double> reached = Packets(context, sink, CounterKind::kPacketsReceived);
  if (!left && !reached) return std::nullopt;
  report::Check check{.name = "ports_count_the_packets",
                      .ok = true,
                      .figures = {{"needed_packets", needed}},
                      .text = {}};
  if (left) {
    check.figures.emplace_back("sent_packets", *left);
    check.ok = *left >= needed;
  }
  if (reached && !context.type.loses) {
    check.figures.emplace_back("received_packets", *reached);
    check.ok = check.ok && *reached >= needed;
  }
  if (!check.ok) check.text = "the ports have seen fewer packets than the messages need";
  return check;
}

// Counters of what was lost, resent or refused; the two sides' together tell where.
std::optional<report::Check> NoErrorsCounted(const Context& context) {
  report::Check check{.name = "no_errors_counted", .ok = true, .figures = {}, .text = {}};
  bool counts = false;
  for (std::size_t host = 0; host < 2; ++host) {
    for (const auto& [name, move] : CountersOf(context.result, host)) {
      const CounterMeaning* meaning = FindCounter(DriverOf(context, host), name);
      if (meaning == nullptr) continue;
      counts = true;
      if (meaning->kind != CounterKind::kError) continue;
      check.ok = false;
      const std::string side = host == 0 ? "client" : "server";
      check.figures.emplace_back(side + "_" + name, static_cast<double>(move));
      check.text += (check.text.empty() ? "" : "; ") + ("the " + side + "'s port counted ") +
                    std::string(meaning->words);
    }
  }
  if (!counts) return std::nullopt;
  return check;
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

// Little's law: what is in flight is the rate times the time each spends there. A ping has exactly
// one message under way.
std::optional<report::Check> InFlight(const Context& context) {
  const report::Result& result = context.result;
  if (!result.latency || result.queue_pairs != 1 || result.window_seconds <= 0) return std::nullopt;
  if (result.latency->lost_replies > 0 || IsPaced(context.plan.run.rate)) {
    return std::nullopt;
  }
  const double trips = result.latency->basis == "half_round_trip" ? 2.0 : 1.0;
  const double round_trip_seconds = result.latency->mean_ns * trips * 1e-9;
  const double in_flight = Real(result.messages) / result.window_seconds * round_trip_seconds;
  const bool ok = std::abs(in_flight - 1.0) <= kInFlightTolerance;
  return report::Check{
      .name = "in_flight",
      .ok = ok,
      .figures = {{"messages_in_flight", in_flight}, {"queue_pairs", 1.0}},
      .text = ok ? "" : "rate times mean round trip is not the one message under way"};
}

// Two machines, two clocks, one window but for a message's way.
std::optional<report::Check> WindowsAgree(const Context& context) {
  const report::Result& result = context.result;
  if (!result.bandwidth || !BothCounted(result) || context.type.loses) return std::nullopt;
  double worst = 0, sent = 0, received = 0;
  for (const Direction& direction : result.traffic) {
    const double seconds = direction.sent.window_seconds;
    if (seconds < kShortestWindowCompared) return std::nullopt;
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

// The cycle counter against the system's clock.
std::optional<report::Check> ClocksAreSteady(const Context& context) {
  report::Check check{.name = "clocks_are_steady", .ok = true, .figures = {}, .text = {}};
  for (std::size_t host = 0; host < 2; ++host) {
    const std::optional<double>& drift = context.clock_drift_ppm[host];
    if (!drift) continue;
    check.figures.emplace_back(host == 0 ? "client_ppm" : "server_ppm", *drift);
    check.ok = check.ok && std::abs(*drift) < kMostDriftPpm;
  }
  if (check.figures.empty()) return std::nullopt;
  if (!check.ok) check.text = "a cycle counter does not keep its rate: times are wrong by as much";
  return check;
}

using CheckFunction = std::optional<report::Check> (*)(const Context&);

constexpr CheckFunction kChecks[] = {
    ReceivedAsSent,
    QueuePairsAddUp,
    CompletionsNameTheOp,
    PortsCountThePackets,
    NoErrorsCounted,
    SamplesAreMessages,
    InFlight,
    WindowsAgree,
    ClocksAreSteady,
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
