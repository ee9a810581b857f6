#include "bench/rail_result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/site.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

constexpr std::size_t kHosts = 2;
using Sides = std::array<const SideRun*, kHosts>;

const RailRun* RunOf(const SideRun* side, std::size_t rail) {
  return side != nullptr && rail < side->rails.size() ? &side->rails[rail] : nullptr;
}

std::string NameOf(std::span<const report::Host> hosts, std::size_t host, std::size_t rail) {
  const report::Device* device = host < hosts.size() ? hosts[host].DeviceAt(rail) : nullptr;
  return device != nullptr ? device->name : std::string();
}

// Messages of all directions, as the result counts them.
void Count(const report::Result& result, const Sides& sides, std::size_t index, bool loses,
           report::Rail& rail) {
  for (const report::Direction& direction : result.traffic) {
    const RailRun* sent = RunOf(sides[direction.from], index);
    const RailRun* received = RunOf(sides[direction.to], index);
    if (sent == nullptr) continue;
    rail.sent_messages += sent->sent_messages;
    const bool at_receiver = loses && result.bandwidth && direction.received && received != nullptr;
    rail.messages += at_receiver ? received->received_messages : sent->sent_messages;
  }
  rail.bytes = rail.messages * result.message_bytes;
}

// The total's, by the share of the messages: one window, over which the rates add up.
void PutRates(report::Result& result) {
  std::uint64_t all = 0;
  for (const report::Rail& rail : result.rails) all += rail.messages;
  if (!result.bandwidth || all == 0) return;
  for (report::Rail& rail : result.rails) {
    const double share = static_cast<double>(rail.messages) / static_cast<double>(all);
    rail.bytes_per_second = result.bandwidth->bytes_per_second * share;
    rail.messages_per_second = result.bandwidth->messages_per_second * share;
  }
}

}  // namespace

void PutRails(const ResultContext& context, const SideRun& client, const SideRun* server,
              report::Result& result) {
  const std::vector<Path>& paths = context.agreement.paths;
  if (paths.size() == 1) return;
  const bool loses = FindQpType(context.plan.queue.qp_type).loses;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    report::Rail& rail = result.rails.emplace_back();
    rail.client_device = NameOf(context.hosts, 0, i);
    rail.server_device = NameOf(context.hosts, 1, i);
    rail.mtu_bytes = paths[i].mtu_bytes;
    if (paths[i].client_gid) rail.client_gid = DescribeGid(*paths[i].client_gid);
    if (paths[i].server_gid) rail.server_gid = DescribeGid(*paths[i].server_gid);
    Count(result, {&client, server}, i, loses, rail);
    if (const RailRun* run = RunOf(&client, i)) rail.counters.client = run->counters;
    if (const RailRun* run = RunOf(server, i)) rail.counters.server = run->counters;
  }
  PutRates(result);
}

}  // namespace rdmabench
