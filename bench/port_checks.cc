#include "bench/port_checks.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "bench/bounds.h"
#include "bench/test.h"
#include "transport/counter_table.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

constexpr std::size_t kHosts = 2;

double Real(std::uint64_t value) { return static_cast<double>(value); }

std::size_t RailsOf(const CheckInput& input) {
  return std::max<std::size_t>(input.result.rails.size(), 1);
}

const report::CounterDeltas& CountersOf(const CheckInput& input, std::size_t host,
                                        std::size_t rail) {
  const report::Result& result = input.result;
  const report::Counters& counters =
      result.rails.empty() ? result.counters : result.rails[rail].counters;
  return host == 0 ? counters.client : counters.server;
}

const report::Device* DeviceOf(const CheckInput& input, std::size_t host, std::size_t rail) {
  return host < input.hosts.size() ? input.hosts[host].DeviceAt(rail) : nullptr;
}

// Calls `take` with each counter of the port that the table knows: its meaning, name and move.
template <class Take>
void EachKnown(const CheckInput& input, std::size_t host, std::size_t rail, const Take& take) {
  const report::Device* device = DeviceOf(input, host, rail);
  const std::string driver = device != nullptr ? device->driver.value_or("") : "";
  for (const auto& [name, move] : CountersOf(input, host, rail)) {
    const CounterMeaning* meaning = FindCounter(driver, name);
    if (meaning != nullptr) take(*meaning, name, static_cast<double>(move));
  }
}

// Absent where the port does not count packets. The driver's own counter says more than the
// standard one, which some drivers leave at 0.
std::optional<double> Packets(const CheckInput& input, std::size_t host, std::size_t rail,
                              CounterKind kind) {
  std::optional<double> packets;
  EachKnown(input, host, rail, [&](const CounterMeaning& meaning, const std::string&, double move) {
    if (meaning.kind == kind) packets = std::max(packets.value_or(0.0), move);
  });
  return packets;
}

// Packets of one direction over one device of each side: those that its messages need at least, and
// those that its ports have counted.
struct PacketCount {
  double needed = 0.0;
  std::optional<double> left;
  std::optional<double> reached;

  bool Suffices() const {
    return left.value_or(needed) >= needed && reached.value_or(needed) >= needed;
  }
};

PacketCount CountPackets(const CheckInput& input, std::size_t rail) {
  const report::Result& result = input.result;
  const report::Direction& direction = result.traffic.front();
  const bool is_one = result.rails.empty();
  const std::uint64_t mtu = is_one ? result.effective.mtu_bytes : result.rails[rail].mtu_bytes;
  const std::uint64_t messages =
      is_one ? direction.sent.messages : result.rails[rail].sent_messages;
  const std::uint64_t per_message =
      std::max<std::uint64_t>(1, (result.message_bytes + mtu - 1) / mtu);
  const bool pulls = FindTest(result.test).op->IsBoundByReadDepth();
  const std::size_t source = pulls ? direction.to : direction.from;
  const std::size_t sink = pulls ? direction.from : direction.to;
  PacketCount count{.needed = Real(messages * per_message),
                    .left = Packets(input, source, rail, CounterKind::kPacketsSent),
                    .reached = {}};
  if (!FindQpType(result.qp_type).loses) {
    count.reached = Packets(input, sink, rail, CounterKind::kPacketsReceived);
  }
  return count;
}

void Add(std::optional<double>& sum, const std::optional<double>& count) {
  if (count) sum = sum.value_or(0.0) + *count;
}

// Some adapters turn the packets round before they count them.
bool AnyIsOnePort(const CheckInput& input) {
  for (std::size_t rail = 0; rail < RailsOf(input); ++rail) {
    if (IsOnePort(input.hosts, rail)) return true;
  }
  return false;
}

// Counters of one kind that should not have moved; all ports together tell where.
std::optional<report::Check> NoneMoved(const CheckInput& input, std::string name,
                                       CounterKind kind) {
  report::Check check{.name = std::move(name), .ok = true, .figures = {}, .text = {}};
  bool counts = false;
  for (std::size_t host = 0; host < kHosts; ++host) {
    for (std::size_t rail = 0; rail < RailsOf(input); ++rail) {
      const std::string side = host == 0 ? "client" : "server";
      const report::Device* device = DeviceOf(input, host, rail);
      const bool is_one = input.result.rails.empty() || device == nullptr;
      const std::string prefix = side + "_" + (is_one ? "" : device->name + "_");
      const std::string port = "the " + side + "'s " + (is_one ? "port" : device->name);
      EachKnown(input, host, rail,
                [&](const CounterMeaning& meaning, const std::string& counter, double move) {
                  counts = true;
                  if (meaning.kind != kind || move == 0) return;
                  check.ok = false;
                  check.figures.emplace_back(prefix + counter, move);
                  if (!check.text.empty()) check.text += "; ";
                  check.text.append(port).append(" counted ").append(meaning.words);
                });
    }
  }
  if (!counts) return std::nullopt;
  return check;
}

}  // namespace

// At least one packet for each message, and one for each MTU of its payload, has to leave the port
// from which the payload comes, and to reach the other one; over each device those of its messages.
std::optional<report::Check> PortsCountThePackets(const CheckInput& input) {
  const report::Result& result = input.result;
  if (result.effective.mtu_bytes == 0 || result.traffic.size() != 1 || AnyIsOnePort(input)) {
    return std::nullopt;
  }
  report::Check check{.name = "ports_count_the_packets", .ok = true, .figures = {}, .text = {}};
  PacketCount sum;
  std::string short_of;
  for (std::size_t rail = 0; rail < RailsOf(input); ++rail) {
    const PacketCount count = CountPackets(input, rail);
    if (!count.left && !count.reached) continue;
    sum.needed += count.needed;
    Add(sum.left, count.left);
    Add(sum.reached, count.reached);
    if (count.Suffices()) continue;
    check.ok = false;
    if (result.rails.empty()) continue;
    short_of += short_of.empty() ? ": " : ", ";
    short_of += result.rails[rail].client_device + " with " + result.rails[rail].server_device;
  }
  if (!sum.left && !sum.reached) return std::nullopt;
  check.figures = {{"needed_packets", sum.needed}};
  if (sum.left) check.figures.emplace_back("sent_packets", *sum.left);
  if (sum.reached) check.figures.emplace_back("received_packets", *sum.reached);
  if (!check.ok) {
    check.text = "the ports have seen fewer packets than the messages need" + short_of;
  }
  return check;
}

std::optional<report::Check> NoErrorsCounted(const CheckInput& input) {
  return NoneMoved(input, "no_errors_counted", CounterKind::kError);
}

std::optional<report::Check> NoCongestionCounted(const CheckInput& input) {
  return NoneMoved(input, "no_congestion_counted", CounterKind::kCongestion);
}

}  // namespace rdmabench
