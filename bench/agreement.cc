#include "bench/agreement.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <string_view>

#include "bench/open_loop.h"
#include "bench/test.h"
#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/memory.h"

namespace rdmabench {
namespace {

std::string Text(std::uint64_t number) { return std::to_string(number); }

// A device that may hold 2^31 requests is asked for no more than the option's range allows.
std::uint32_t MostDepth(const DeviceLimits& limits) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>({limits.max_qp_wr, limits.max_cqe, kDepth.high}));
}

std::uint32_t MostReadDepth(const DeviceLimits& limits) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>({limits.max_rd_atom, limits.max_init_rd_atom, kReadDepth.high}));
}

// One device of each side.
struct Ends {
  const Offer& client;
  const Offer& server;
  std::string_view client_ip;
  std::string_view server_ip;
};

std::uint32_t AgreeMtu(const TestPlan& test, const Ends& ends) {
  const std::uint32_t client = ends.client.active_mtu_bytes;
  const std::uint32_t server = ends.server.active_mtu_bytes;
  const std::uint32_t smaller = std::min(client, server);
  if (!test.link.mtu_bytes) return smaller;
  if (*test.link.mtu_bytes <= smaller) return *test.link.mtu_bytes;
  throw Error(
      Blame::kEnvironment,
      "--mtu " + Text(*test.link.mtu_bytes) + " is above the active MTU, which is " + Text(client) +
          " on the client and " + Text(server) + " on the server",
      "use --mtu " + Text(smaller) + " or less, or raise the MTU of the network interfaces");
}

// The GIDs that the plan allows.
std::vector<Gid> Allowed(std::vector<Gid> gids, const LinkOptions& link) {
  std::erase_if(gids, [&](const Gid& gid) {
    return (link.gid_type && gid.type != FindGidType(*link.gid_type)) ||
           (link.ipv6 && gid.IsIpv4() == *link.ipv6);
  });
  return gids;
}

void AgreeAddresses(const TestPlan& test, const Ends& ends, Path& path) {
  if (ends.client.link_layer != ends.server.link_layer) {
    throw Error(Blame::kEnvironment,
                "the client's port is " + ends.client.link_layer + ", the server's is " +
                    ends.server.link_layer,
                "choose ports of one fabric with --ib-dev on both sides");
  }
  const bool chosen = test.link.gid_type || test.link.ipv6;
  if (!chosen && !ends.client.needs_gid && !ends.server.needs_gid) return;
  const std::vector<Gid> client = Allowed(ends.client.gids, test.link);
  const std::vector<Gid> server = Allowed(ends.server.gids, test.link);
  const GidPair pair = ChooseGidPair({.client = client,
                                      .server = server,
                                      .client_ip = ends.client_ip,
                                      .server_ip = ends.server_ip});
  path.client_gid = pair.client;
  path.server_gid = pair.server;
}

// A limit of the server, in which unit it is told, and the options of both sides that it is about.
struct LimitRow {
  std::string (*text)(std::uint64_t value);
  std::string_view of;
  std::string_view asked_with;
  std::string_view option;
};
constexpr LimitRow kDurationLimit = {
    [](std::uint64_t value) { return InSeconds(std::chrono::milliseconds(value)); }, "a test",
    "--duration or --max-time, without --run-infinitely", "--limit-duration"};
constexpr LimitRow kQueuePairLimit = {
    [](std::uint64_t value) { return Text(value) + " queue pairs"; }, "a client", "--qp",
    "--limit-qp"};
constexpr LimitRow kMemoryLimit = {
    [](std::uint64_t value) { return Text(value) + " bytes"; }, "of memory a client",
    "--working-set, --size, --tx-depth, --qp or --threads", "--limit-memory"};

void CheckLimit(const LimitRow& limit, std::uint64_t asked, std::uint64_t allowed) {
  if (asked <= allowed) return;
  throw Error(Blame::kRun,
              "the server allows " + limit.text(allowed) + " " + std::string(limit.of) +
                  ", asked were " + limit.text(asked),
              "ask for less with " + std::string(limit.asked_with) +
                  ", or start the server with a higher " + std::string(limit.option))
      .Of("limit");
}

void CheckDevices(const TestPlan& test, const Ends& ends) {
  const std::uint32_t pairs = std::min(ends.client.max_queue_pairs, ends.server.max_queue_pairs);
  if (test.queue.queue_pairs > pairs) {
    throw Error(Blame::kEnvironment,
                "--qp " + Text(test.queue.queue_pairs) +
                    " is more than the devices allow, which is " + Text(pairs),
                "lower --qp");
  }
  const auto need = [](bool client, bool server, const std::string& what) {
    if (client && server) return;
    throw Error(Blame::kEnvironment,
                "the " + std::string(client ? "server" : "client") + "'s device has no " + what);
  };
  if (FindTest(test.test).op->IsBoundByReadDepth()) {
    need(ends.client.max_read_depth > 0, ends.server.max_read_depth > 0, "outstanding reads");
  }
  if (FindTest(test.test).op->IsAtomic()) {
    need(ends.client.atomics, ends.server.atomics, "atomic operations");
  }
  if (test.queue.use_srq) {
    need(ends.client.max_srq_depth > 0, ends.server.max_srq_depth > 0, "shared receive queues");
  }
}

std::uint32_t AgreeReadDepth(const TestPlan& test, const Ends& ends) {
  const std::uint32_t most = std::min(ends.client.max_read_depth, ends.server.max_read_depth);
  if (!FindTest(test.test).op->IsBoundByReadDepth()) return std::min(most, 1U);
  const std::uint32_t asked = test.queue.read_depth.value_or(most);
  if (asked <= most) return asked;
  throw Error(Blame::kEnvironment,
              "--outs " + Text(asked) + " is more than the devices allow, which is " + Text(most),
              "lower --outs");
}

Path AgreePath(const TestPlan& test, const Ends& ends) {
  CheckDevices(test, ends);
  Path path{.mtu_bytes = AgreeMtu(test, ends), .client_gid = {}, .server_gid = {}};
  AgreeAddresses(test, ends, path);
  return path;
}

// What one pair of devices allows; of several the least counts.
void AgreeDepths(const TestPlan& test, const Ends& ends, Agreement& agreement) {
  const auto lower = [](std::uint32_t& most, std::uint32_t here) {
    most = most == 0 ? here : std::min(most, here);
  };
  lower(agreement.most_depth, std::min(ends.client.max_depth, ends.server.max_depth));
  lower(agreement.most_receive_depth, agreement.most_depth);
  if (test.queue.use_srq) {
    lower(agreement.most_receive_depth,
          std::min(ends.client.max_srq_depth, ends.server.max_srq_depth));
  }
}

std::uint32_t RandomSeed() { return static_cast<std::uint32_t>(std::random_device{}()); }

// The work requests themselves, of one queue pair of the server.
std::uint64_t RequestBytes(const Agreement& agreement, const TestPlan& test) {
  std::uint64_t requests = 0;
  if (DutyOf(FindTest(test.test), test.queue, Role::kServer).Posts()) {
    for (const RingShape& shape : agreement.shapes) {
      requests = std::max<std::uint64_t>(requests, shape.Length());
    }
  }
  return requests * (sizeof(ibv_send_wr) + sizeof(ibv_sge)) +
         agreement.receive.Length() * (sizeof(ibv_recv_wr) + sizeof(ibv_sge));
}

// All that the server allocates for a test: in whole pages of its kind of memory.
std::uint64_t ServerBytes(const Agreement& agreement, const TestPlan& test,
                          std::uint64_t keep_samples) {
  const bool keeps = DutyOf(FindTest(test.test), test.queue, Role::kServer).pings;
  const std::size_t granule = FindMemoryKind(test.memory.server_kind()).granule;
  std::uint64_t bytes = keeps ? keep_samples * sizeof(std::uint64_t) : 0;
  for (std::uint32_t i = 0; i < test.queue.threads; ++i) {
    const std::uint64_t slots = BytesOf(agreement, test, Role::kServer, i).Sum();
    bytes += (slots + granule - 1) / granule * granule +
             QueuePairsOf(test.queue, i) * RequestBytes(agreement, test);
  }
  return bytes;
}

}  // namespace

std::string NameOf(const Device& device, const PortInfo& port) {
  const DeviceInfo& info = device.info();
  return info.name + (info.ports.size() > 1 ? ":" + std::to_string(port.number) : "");
}

Offer MakeOffer(const Device& device, const PortInfo& port, std::optional<int> gid_index) {
  const DeviceLimits& limits = device.info().limits;
  Offer offer{.device = NameOf(device, port),
              .link_layer = port.link_layer,
              .active_mtu_bytes = port.active_mtu_bytes,
              .lid = port.lid,
              .needs_gid = port.grh_required || port.link_layer == "ethernet" || gid_index,
              .gids = port.gids,
              .max_queue_pairs = limits.max_qp,
              .max_depth = MostDepth(limits),
              .max_read_depth = MostReadDepth(limits),
              .max_srq_depth = limits.max_srq_wr,
              .atomics = limits.atomics};
  std::erase_if(offer.gids, [](const Gid& gid) { return gid.index > kMostGidIndex; });
  if (!gid_index) return offer;
  std::erase_if(offer.gids, [&](const Gid& gid) { return gid.index != *gid_index; });
  if (offer.gids.empty()) throw NoSuchGid(device.info(), port, *gid_index);
  return offer;
}

TestPlan OverRails(TestPlan test, std::size_t rails) {
  test.queue.queue_pairs *= static_cast<std::uint32_t>(rails);
  test.queue.threads *= static_cast<std::uint32_t>(rails);
  return test;
}

void CheckRails(const TestPlan& test, std::size_t rails) {
  if (rails == 1 || !test.queue.rdma_cm) return;
  throw Error(Blame::kUsage, "--rdma-cm does not go with several devices (--ib-dev)",
              "measure one device at a time, or leave --rdma-cm out");
}

std::uint32_t Agreement::SmallestMtu() const {
  std::uint32_t smallest = paths.front().mtu_bytes;
  for (const Path& path : paths) smallest = std::min(smallest, path.mtu_bytes);
  return smallest;
}

std::uint32_t Agreement::Depth() const {
  std::uint32_t depth = 1;
  for (const RingShape& shape : shapes) depth = std::max(depth, shape.window);
  return depth;
}

std::uint64_t Agreement::OwnBytes(std::uint32_t queue_pairs) const {
  std::uint64_t bytes = 0;
  for (const RingShape& shape : shapes) {
    bytes = std::max(bytes, LayoutFor(shape, queue_pairs).Bytes());
  }
  return bytes;
}

std::uint64_t Agreement::ExposedBytes(const TestPlan& test, std::uint32_t queue_pairs) const {
  const bool named = FindTest(test.test).op->peer_access != 0;
  const std::uint64_t bytes = named ? OwnBytes(queue_pairs) : 0;
  if (receive.slot_bytes == 0) return bytes;
  return std::max(bytes, LayoutFor(receive, test.queue.use_srq ? 1 : queue_pairs).Bytes());
}

WorkerBytes BytesOf(const Agreement& agreement, const TestPlan& test, Role role,
                    std::uint32_t index) {
  const Test& row = FindTest(test.test);
  const std::uint32_t pairs = QueuePairsOf(test.queue, index);
  WorkerBytes bytes;
  if (DutyOf(row, test.queue, role).Posts()) bytes.own = agreement.OwnBytes(pairs);
  if (DutyOf(row, test.queue, PeerOf(role)).Posts()) {
    bytes.exposed = agreement.ExposedBytes(test, pairs);
  }
  return bytes;
}

void Derive(const TestPlan& test, Agreement& agreement) {
  std::uint64_t most = 0;
  std::uint32_t most_depth = agreement.most_depth;
  // What waits in the queue for others to be answered is not under way.
  if (IsOpenLoop(test) && !test.queue.send_depth && FindTest(test.test).op->IsBoundByReadDepth()) {
    most_depth = std::min(most_depth, agreement.read_depth);
  }
  for (const std::uint64_t bytes : SizesFor(test, agreement.SmallestMtu())) {
    agreement.shapes.push_back(ShapeFor(test, bytes, most_depth));
    most = std::max(most, bytes);
  }
  agreement.receive = ReceiveShapeFor(test, most, agreement.most_receive_depth, agreement.Depth());
}

void Verify(const Agreement& agreement, const TestPlan& test, std::span<const Offer> own) {
  const auto refuse = [](const std::string& what) {
    throw Error(Blame::kRun, "the server's agreement does not answer the plan: " + what);
  };
  if (agreement.paths.size() != own.size()) refuse("it is of another number of devices");
  if (agreement.verify_seed.has_value() != test.run.verify ||
      (test.run.verify_seed && agreement.verify_seed != test.run.verify_seed)) {
    refuse("another seed of the messages' content");
  }
  if (agreement.most_receive_depth > agreement.most_depth) refuse("more receives than sends");
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Offer& offer = own[i];
    const Path& path = agreement.paths[i];
    if (agreement.most_depth > offer.max_depth) refuse("a depth beyond this device's");
    if (test.queue.use_srq && agreement.most_receive_depth > offer.max_srq_depth) {
      refuse("a receive depth beyond this device's");
    }
    if (agreement.read_depth > offer.max_read_depth) {
      refuse("outstanding reads beyond this device's");
    }
    if (path.mtu_bytes > offer.active_mtu_bytes ||
        (test.link.mtu_bytes && path.mtu_bytes != *test.link.mtu_bytes)) {
      refuse("MTU " + Text(path.mtu_bytes));
    }
    const auto is_own = [&](const Gid& gid) { return gid.index == path.client_gid->index; };
    if (path.client_gid && std::none_of(offer.gids.begin(), offer.gids.end(), is_own)) {
      refuse("GID " + std::to_string(path.client_gid->index) + " was not offered");
    }
  }
}

Agreement Agree(const TestPlan& test, const Sides& sides, const Limits& limits) {
  const std::size_t rails = sides.client.size();
  CheckRails(test, rails);
  const TestPlan all = OverRails(test, rails);
  CheckLimit(kDurationLimit, test.run.LongestMs(), limits.duration_ms);
  Agreement agreement;
  agreement.read_depth = kReadDepth.high;
  for (std::size_t i = 0; i < rails; ++i) {
    const Ends ends{sides.client[i], sides.server[i], sides.client_ip, sides.server_ip};
    try {
      agreement.paths.push_back(AgreePath(test, ends));
      AgreeDepths(test, ends, agreement);
      agreement.read_depth = std::min(agreement.read_depth, AgreeReadDepth(test, ends));
    } catch (Error& error) {
      if (rails > 1) error.Precede("between " + ends.client.device + " and " + ends.server.device);
      throw;
    }
  }
  CheckLimit(kQueuePairLimit, all.queue.queue_pairs, limits.queue_pairs);
  if (test.run.verify) agreement.verify_seed = test.run.verify_seed.value_or(RandomSeed());
  Derive(test, agreement);
  CheckLimit(kMemoryLimit, ServerBytes(agreement, all, sides.keep_samples), limits.memory_bytes);
  return agreement;
}

}  // namespace rdmabench
