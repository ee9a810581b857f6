#include "bench/failure_facts.h"

#include <string_view>
#include <utility>

#include "bench/path_remark.h"
#include "bench/wire_model.h"
#include "transport/catalogue.h"
#include "transport/counter_table.h"
#include "transport/file_tree.h"
#include "transport/joined.h"
#include "transport/netdev_mtu.h"
#include "transport/qp_type.h"
#include "transport/socket.h"

namespace rdmabench {
namespace {

constexpr std::size_t kMostCounters = 6;  // that tell of errors

// "::ffff:10.0.0.1" as the kernel routes it.
std::string AddressOf(const Gid& gid) {
  constexpr std::string_view kMapped = "::ffff:";
  const std::string text = gid.Text();
  return gid.IsIpv4() ? text.substr(kMapped.size()) : text;
}

std::string GidWords(const Gid& gid) {
  return "GID " + std::to_string(gid.index) + " " + gid.Text() + " (" +
         std::string(GidTypeName(gid.type)) + ")";
}

}  // namespace

PathFacts ReadPathFacts(const Rail& rail, const Path& path, Role role) {
  const bool is_client = role == Role::kClient;
  PathFacts facts{.device = rail.device.info().name,
                  .driver = rail.device.info().driver,
                  .netdev = NetdevOf(rail.device.info(), rail.port),
                  .own_gid = is_client ? path.client_gid : path.server_gid,
                  .peer_gid = is_client ? path.server_gid : path.client_gid,
                  .mtu_bytes = path.mtu_bytes,
                  .active_mtu_bytes = rail.port.active_mtu_bytes,
                  .netdev_mtu_bytes = {},
                  .route_mtu_bytes = {}};
  facts.netdev_mtu_bytes = MtuOf(FileTree("/"), facts.netdev);
  // A link-local address has no route without its interface.
  if (facts.own_gid && facts.peer_gid && !facts.peer_gid->IsLinkLocal()) {
    facts.route_mtu_bytes = RouteMtu(AddressOf(*facts.own_gid), AddressOf(*facts.peer_gid));
  }
  return facts;
}

std::string PathText(const PathFacts& facts) {
  std::string text = "from ";
  if (facts.own_gid) text += GidWords(*facts.own_gid) + " of ";
  text += facts.device;
  if (facts.peer_gid) text += " to " + GidWords(*facts.peer_gid);
  text += ", MTU " + std::to_string(facts.mtu_bytes) + " (the port " +
          std::to_string(facts.active_mtu_bytes);
  if (facts.netdev_mtu_bytes) {
    text += ", " + facts.netdev + " " + std::to_string(*facts.netdev_mtu_bytes);
  }
  if (facts.route_mtu_bytes) text += ", the route " + std::to_string(*facts.route_mtu_bytes);
  return text + ")";
}

std::string QueueText(const TestPlan& test, const Agreement& agreement) {
  std::string text = "depth " + std::to_string(agreement.Depth());
  if (agreement.receive.depth > 0) {
    text += ", receive depth " + std::to_string(agreement.receive.depth);
  }
  if (FindQpType(test.queue.qp_type).loses) return text;
  return text + ", --qp-timeout " + std::to_string(test.link.timeout) + ", --retry-count " +
         std::to_string(test.link.retry_count) + ", --rnr-retry " +
         std::to_string(test.link.rnr_retry);
}

std::string CountersText(const PathFacts& facts) {
  std::string errors;
  std::string packets;
  std::size_t shown = 0;
  for (const auto& [name, move] : facts.moved) {
    const CounterMeaning* meaning = FindCounter(facts.driver, name);
    if (meaning == nullptr) continue;
    const std::string count = std::to_string(move) + " " + name;
    if (meaning->CountsPackets()) {
      AppendWord(packets, count);
    } else if (move != 0 && shown++ < kMostCounters) {
      AppendWord(errors, count + " (" + std::string(meaning->words) + ")");
    }
  }
  if (errors.empty() && packets.empty()) return {};
  if (!errors.empty() && !packets.empty()) errors += ", ";
  return facts.device + " counted " + errors + packets;
}

std::string MtuRemark(const PathFacts& facts) {
  if (!facts.own_gid) return {};
  const std::uint32_t packet =
      BytesOnInterface(EncapsulationOf(DescribeGid(*facts.own_gid)), facts.mtu_bytes);
  if (packet == 0) return {};
  const std::pair<std::string, std::optional<std::uint32_t>> hops[] = {
      {facts.netdev, facts.netdev_mtu_bytes},
      {"the route to the peer's GID", facts.route_mtu_bytes}};
  for (const auto& [name, carries] : hops) {
    if (!carries || *carries >= packet) continue;
    return "an MTU of " + std::to_string(facts.mtu_bytes) + " makes packets of " +
           std::to_string(packet) + " bytes, and " + name + " carries " + std::to_string(*carries) +
           ": take a smaller -m";
  }
  return {};
}

Error WithFacts(Error error, const std::vector<PathFacts>& paths, const TestPlan& test,
                const Agreement& agreement) {
  if (FactsFor(error) != Facts::kPath) return error;
  error.AdviseFirst(PathRemark(agreement));
  for (const PathFacts& facts : paths) {
    error.Add(PathText(facts));
    error.AdviseFirst(MtuRemark(facts));
  }
  error.Add(QueueText(test, agreement));
  for (const PathFacts& facts : paths) error.Add(CountersText(facts));
  return error;
}

}  // namespace rdmabench
