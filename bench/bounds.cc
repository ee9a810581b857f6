#include "bench/bounds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/test.h"
#include "bench/wire_model.h"
#include "transport/pcie.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

using report::Bound;

constexpr std::size_t kHosts = 2;

struct Context {
  const report::Result& result;
  std::span<const report::Host> hosts;
  std::span<const report::Result> earlier;
  const Op& op;
};

double Real(std::uint64_t value) { return static_cast<double>(value); }

// "97.5", "100".
std::string Short(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

Bound NotKnown(std::string name, std::string why) {
  return {.name = std::move(name), .bytes_per_second = std::nullopt, .text = std::move(why)};
}

const report::Device* DeviceOf(const Context& context, std::size_t host, std::size_t rail) {
  return host < context.hosts.size() ? context.hosts[host].DeviceAt(rail) : nullptr;
}

// Of the slower end.
std::optional<double> DataGbps(const Context& context, std::size_t rail) {
  std::optional<double> slowest;
  for (std::size_t host = 0; host < kHosts; ++host) {
    const report::Device* device = DeviceOf(context, host, rail);
    if (device == nullptr || !device->data_gbps) continue;
    slowest = std::min(slowest.value_or(*device->data_gbps), *device->data_gbps);
  }
  return slowest;
}

// Over each of several devices at once as much goes as their bounds add up to; not known where one
// is not. The same words are said once.
Bound SumOf(std::span<const Bound> bounds) {
  Bound sum = bounds.front();
  for (const Bound& bound : bounds.subspan(1)) {
    if (!sum.bytes_per_second) return sum;
    if (!bound.bytes_per_second) return bound;
    *sum.bytes_per_second += *bound.bytes_per_second;
    if (bound.text != bounds.front().text) sum.text += " + " + bound.text;
  }
  const bool are_alike = sum.text == bounds.front().text;
  if (bounds.size() > 1 && are_alike) sum.text = std::to_string(bounds.size()) + " × " + sum.text;
  return sum;
}

// A link carries as much in each direction. With both used, requests of one share theirs with the
// answers of the other.
Bound LinkBound(const Context& context, std::size_t rail) {
  const report::Result& result = context.result;
  if (IsOnePort(context.hosts, rail)) return NotKnown("link", "both ends are one port");
  const std::optional<double> gbps = DataGbps(context, rail);
  const bool is_one = result.rails.empty();
  const std::uint32_t mtu = is_one ? result.effective.mtu_bytes : result.rails[rail].mtu_bytes;
  if (!gbps || mtu == 0) {
    const report::Device* device = DeviceOf(context, 0, rail);
    const std::string driver =
        device != nullptr ? device->driver.value_or("the driver") : "the driver";
    return NotKnown("link", "neither " + driver + " nor its interface tells the link's speed");
  }
  const Encapsulation& encapsulation =
      EncapsulationOf(is_one ? result.effective.client_gid : result.rails[rail].client_gid);
  const MessageOnWire wire =
      OnWire(context.op, FindQpType(result.qp_type), result.message_bytes, mtu, encapsulation);
  const double bytes_a_message = result.bidirectional
                                     ? Real(wire.there_bytes + wire.back_bytes) / 2.0
                                     : Real(std::max(wire.there_bytes, wire.back_bytes));
  return {.name = "link",
          .bytes_per_second = *gbps * 1e9 / 8.0 * Real(result.message_bytes) / bytes_a_message,
          .text = Short(*gbps) + " Gb/s, MTU " + std::to_string(mtu) + " B, " +
                  std::string(encapsulation.words)};
}

// The payload is read from memory at one end and written at the other, at both where both initiate.
Bound PcieBound(const Context& context, std::size_t host, std::size_t rail) {
  const report::Result& result = context.result;
  std::string name = host == 0 ? "pcie_client" : "pcie_server";
  const report::Device* device = DeviceOf(context, host, rail);
  if (device == nullptr || !device->pcie) return NotKnown(std::move(name), "no PCIe link is told");
  const report::Pcie& pcie = *device->pcie;
  const PcieLink link{.gigatransfers_per_second = pcie.gigatransfers_per_second,
                      .lanes = pcie.lanes,
                      .max_payload_bytes = pcie.max_payload_bytes};
  const bool is_source = host == (context.op.IsBoundByReadDepth() ? result.to : result.from);
  const auto bytes_per_second = [&](PcieTransfer transfer) {
    return PcieBytesPerSecond(link, transfer, result.message_bytes);
  };
  std::optional<double> bound =
      bytes_per_second(is_source ? PcieTransfer::kDeviceReads : PcieTransfer::kDeviceWrites);
  if (!bound) return NotKnown(std::move(name), "no PCIe generation has this rate");
  if (result.bidirectional) {
    *bound += bytes_per_second(is_source ? PcieTransfer::kDeviceWrites : PcieTransfer::kDeviceReads)
                  .value_or(0.0);
  }
  std::string text =
      Short(pcie.gigatransfers_per_second) + " GT/s, " + std::to_string(pcie.lanes) + " lanes";
  text += pcie.max_payload_bytes ? ", " + std::to_string(*pcie.max_payload_bytes) + " B a packet"
                                 : std::string(", packets of a size that is not known");
  return {.name = std::move(name), .bytes_per_second = bound, .text = std::move(text)};
}

std::size_t RailsOf(const Context& context) {
  return std::max<std::size_t>(context.result.rails.size(), 1);
}

Bound LinksBound(const Context& context) {
  std::vector<Bound> bounds;
  for (std::size_t rail = 0; rail < RailsOf(context); ++rail) {
    bounds.push_back(LinkBound(context, rail));
  }
  return SumOf(bounds);
}

// "0000:3b:00" of "0000:3b:00.1": the functions of a slot share its link.
std::string SlotOf(const report::Device* device) {
  if (device == nullptr || !device->pcie_address) return {};
  return device->pcie_address->substr(0, device->pcie_address->rfind('.'));
}

Bound PciesBound(const Context& context, std::size_t host) {
  std::vector<Bound> bounds;
  std::set<std::string> slots;
  for (std::size_t rail = 0; rail < RailsOf(context); ++rail) {
    const std::string slot = SlotOf(DeviceOf(context, host, rail));
    if (!slot.empty() && !slots.insert(slot).second) continue;
    bounds.push_back(PcieBound(context, host, rail));
  }
  return SumOf(bounds);
}

// A message of the same operation, no larger than this, took as long from its post to its
// completion with nothing else under way. Where the peer's program answers (SEND, WRITE) that is no
// bound: a pipelined message waits for the device's acknowledgement only.
std::optional<double> LeastRoundTripNs(const Context& context) {
  std::optional<double> least;
  if (!context.op.IsBoundByReadDepth()) return least;
  for (const report::Result& result : context.earlier) {
    // A response time of an open loop has waiting in it.
    if (!result.latency || result.open_loop || result.op != context.result.op ||
        result.from != context.result.from || result.message_bytes > context.result.message_bytes) {
      continue;
    }
    least = std::min(least.value_or(result.latency->min_ns), result.latency->min_ns);
  }
  return least;
}

Bound WindowBound(const Context& context) {
  const report::Result& result = context.result;
  const std::optional<double> round_trip_ns = LeastRoundTripNs(context);
  if (!round_trip_ns || *round_trip_ns <= 0.0) {
    return NotKnown("window", "no round trip was measured before");
  }
  const std::uint32_t depth =
      std::min(result.effective.send_depth,
               result.effective.read_depth.value_or(result.effective.send_depth));
  const double directions = result.bidirectional ? 2.0 : 1.0;
  const double in_flight = Real(depth) * result.queue_pairs * directions;
  return {.name = "window",
          .bytes_per_second = in_flight * Real(result.message_bytes) / (*round_trip_ns * 1e-9),
          .text = Short(in_flight) + " messages in flight, a round trip of at least " +
                  Short(*round_trip_ns * 1e-3) + " us"};
}

}  // namespace

bool IsOnePort(std::span<const report::Host> hosts, std::size_t rail) {
  if (hosts.size() < kHosts) return false;
  const report::Device* client = hosts[0].DeviceAt(rail);
  const report::Device* server = hosts[1].DeviceAt(rail);
  return hosts[0].name == hosts[1].name && client != nullptr && server != nullptr &&
         client->name == server->name && client->port == server->port;
}

report::Bounds BoundsOf(const report::Result& result, std::span<const report::Host> hosts,
                        std::span<const report::Result> earlier) {
  const Context context{result, hosts, earlier, *FindTest(result.test).op};
  report::Bounds bounds;
  bounds.limits = {LinksBound(context), PciesBound(context, 0), PciesBound(context, 1),
                   WindowBound(context)};
  for (std::size_t i = 0; i < bounds.limits.size(); ++i) {
    const std::optional<double>& bound = bounds.limits[i].bytes_per_second;
    if (!bound) continue;
    if (!bounds.lowest || *bound < *bounds.limits[*bounds.lowest].bytes_per_second) {
      bounds.lowest = i;
    }
  }
  if (bounds.lowest && result.bandwidth) {
    bounds.achieved_share =
        result.bandwidth->bytes_per_second / *bounds.limits[*bounds.lowest].bytes_per_second;
  }
  return bounds;
}

}  // namespace rdmabench
