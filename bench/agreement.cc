#include "bench/agreement.h"

#include <algorithm>

#include "bench/shape.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

// An address handle names its GID in 8 bits.
constexpr int kMostGidIndex = 255;

std::string Text(std::uint64_t number) { return std::to_string(number); }

// A device that may hold 2^31 requests is asked for no more than the option's range allows.
std::uint32_t MostDepth(const DeviceLimits& limits) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>({limits.max_qp_wr, limits.max_cqe, kDepth.high}));
}

std::uint32_t AgreeMtu(const TestPlan& test, const Sides& sides) {
  const std::uint32_t client = sides.client.active_mtu_bytes;
  const std::uint32_t server = sides.server.active_mtu_bytes;
  const std::uint32_t smaller = std::min(client, server);
  if (!test.link.mtu_bytes) return smaller;
  if (*test.link.mtu_bytes <= smaller) return *test.link.mtu_bytes;
  throw Error(
      Blame::kEnvironment,
      "--mtu " + Text(*test.link.mtu_bytes) + " is above the active MTU, which is " + Text(client) +
          " on the client and " + Text(server) + " on the server",
      "use --mtu " + Text(smaller) + " or less, or raise the MTU of the network interfaces");
}

void AgreeAddresses(const Sides& sides, Agreement& agreement) {
  if (sides.client.link_layer != sides.server.link_layer) {
    throw Error(Blame::kEnvironment,
                "the client's port is " + sides.client.link_layer + ", the server's is " +
                    sides.server.link_layer,
                "choose ports of one fabric with --ib-dev on both sides");
  }
  const bool asked = sides.client.needs_gid || sides.server.needs_gid;
  if (!asked) return;
  const GidPair pair = ChooseGidPair({.client = sides.client.gids,
                                      .server = sides.server.gids,
                                      .client_ip = sides.client_ip,
                                      .server_ip = sides.server_ip});
  agreement.client_gid = pair.client;
  agreement.server_gid = pair.server;
}

void CheckLimit(const std::string& what, std::uint64_t asked, std::uint64_t allowed) {
  if (asked <= allowed) return;
  throw Error(Blame::kRun,
              "the server allows " + Text(allowed) + " " + what + ", asked were " + Text(asked),
              "ask for less, or start the server with a higher limit");
}

}  // namespace

Offer MakeOffer(const Device& device, const PortInfo& port, std::optional<int> gid_index) {
  const DeviceLimits& limits = device.info().limits;
  Offer offer{.link_layer = port.link_layer,
              .active_mtu_bytes = port.active_mtu_bytes,
              .lid = port.lid,
              .needs_gid = port.grh_required || port.link_layer == "ethernet" || gid_index,
              .gids = port.gids,
              .max_queue_pairs = limits.max_qp,
              .max_depth = MostDepth(limits)};
  std::erase_if(offer.gids, [](const Gid& gid) { return gid.index > kMostGidIndex; });
  if (!gid_index) return offer;
  std::erase_if(offer.gids, [&](const Gid& gid) { return gid.index != *gid_index; });
  if (!offer.gids.empty()) return offer;
  std::string known;
  for (const Gid& gid : port.gids) {
    known += (known.empty() ? "" : ", ") + std::to_string(gid.index) + " (" + gid.Text() + ")";
  }
  throw Error(Blame::kEnvironment,
              "--gid-index " + std::to_string(*gid_index) + " is not in use on " +
                  device.info().name + " port " + std::to_string(port.number),
              known.empty() ? "the port has no GID; give its interface an address"
                            : "in use are: " + known);
}

void Verify(const Agreement& agreement, const TestPlan& test, const Offer& own) {
  const auto refuse = [](const std::string& what) {
    throw Error(Blame::kRun, "the server's agreement does not answer the plan: " + what);
  };
  for (std::size_t i = 0; i < agreement.shapes.size(); ++i) {
    const RingShape& shape = agreement.shapes[i];
    if (shape.window > own.max_depth) refuse("a depth beyond this device's");
    // The same rule with the claimed depth has to give the same shape.
    if (ShapeFor(test, test.run.message_bytes[i], shape.window) != shape) {
      refuse("size " + Text(test.run.message_bytes[i]) + " is posted otherwise");
    }
  }
  if (agreement.mtu_bytes > own.active_mtu_bytes ||
      (test.link.mtu_bytes && agreement.mtu_bytes != *test.link.mtu_bytes)) {
    refuse("MTU " + Text(agreement.mtu_bytes));
  }
  const auto is_own = [&](const Gid& gid) { return gid.index == agreement.client_gid->index; };
  if (agreement.client_gid && std::none_of(own.gids.begin(), own.gids.end(), is_own)) {
    refuse("GID " + std::to_string(agreement.client_gid->index) + " was not offered");
  }
}

std::uint32_t Agreement::Depth() const {
  std::uint32_t depth = 1;
  for (const RingShape& shape : shapes) depth = std::max(depth, shape.window);
  return depth;
}

std::uint64_t Agreement::MemoryBytes(std::uint32_t queue_pairs) const {
  std::uint64_t bytes = 0;
  for (const RingShape& shape : shapes) {
    bytes = std::max(bytes, LayoutFor(shape, queue_pairs).Bytes());
  }
  return bytes;
}

Agreement Agree(const TestPlan& test, const Sides& sides, const Limits& limits) {
  const std::uint32_t device_pairs =
      std::min(sides.client.max_queue_pairs, sides.server.max_queue_pairs);
  if (test.queue.queue_pairs > device_pairs) {
    throw Error(Blame::kEnvironment,
                "--qp " + Text(test.queue.queue_pairs) +
                    " is more than the devices allow, which is " + Text(device_pairs),
                "lower --qp");
  }
  CheckLimit("queue pairs a client", test.queue.queue_pairs, limits.queue_pairs);
  CheckLimit("ms a test", test.run.iterations ? 0 : test.run.duration_ms, limits.duration_ms);
  Agreement agreement;
  agreement.mtu_bytes = AgreeMtu(test, sides);
  AgreeAddresses(sides, agreement);
  const std::uint32_t depth = std::min(sides.client.max_depth, sides.server.max_depth);
  for (const std::uint64_t bytes : test.run.message_bytes) {
    agreement.shapes.push_back(ShapeFor(test, bytes, depth));
  }
  for (const RingShape& shape : agreement.shapes) {
    CheckLimit("bytes of memory a client", FootprintOf(shape, test.queue.queue_pairs),
               limits.memory_bytes);
  }
  return agreement;
}

}  // namespace rdmabench
