// What the two sides agree on for one test, from what each of them brings. The server decides, the
// client reads the decision; what follows from it by rule, both derive.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/duty.h"
#include "bench/plan.h"
#include "bench/ring.h"
#include "bench/shape.h"
#include "transport/device.h"
#include "transport/gid.h"

namespace rdmabench {

// What one side brings: its port and its device's limits.
struct Offer {
  std::string device;      // by NameOf()
  std::string link_layer;  // "infiniband", "ethernet"
  std::uint32_t active_mtu_bytes = 0;
  std::uint16_t lid = 0;
  bool needs_gid = false;  // Ethernet, or an InfiniBand port that requires a GRH
  std::vector<Gid> gids;   // usable ones; only the one that --gid-index names, when given
  std::uint32_t max_queue_pairs = 0;
  std::uint32_t max_depth = 0;       // of a queue pair: requests and completions
  std::uint32_t max_read_depth = 0;  // outstanding READs and atomics
  std::uint32_t max_srq_depth = 0;   // 0: no shared receive queues
  bool atomics = false;
};

// "mlx5_0", or "mlx4_0:2" of a device with several ports.
std::string NameOf(const Device& device, const PortInfo& port);

// Takes what the port tells. Throws Error(kEnvironment) when `gid_index` is not in the table.
Offer MakeOffer(const Device& device, const PortInfo& port, std::optional<int> gid_index);

// What a server allows its clients.
struct Limits {
  std::uint64_t queue_pairs = 16384;
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
  std::uint64_t duration_ms = 86'400'000;
  std::uint64_t idle_ms = 15'000;  // from the welcome to the plan, or to what a doctor asks for
};

// How the queue pairs between one device of each side are connected.
struct Path {
  std::uint32_t mtu_bytes = 0;
  std::optional<Gid> client_gid;
  std::optional<Gid> server_gid;
};

struct Agreement {
  std::vector<Path> paths;  // one for each device of the client, in its order
  // Of every device.
  std::uint32_t most_depth = 0;
  std::uint32_t most_receive_depth = 0;
  std::uint32_t read_depth = 1;
  std::optional<std::uint32_t> verify_seed;  // where messages are verified
  // Derived.
  std::vector<RingShape> shapes;  // one for each of the test's sizes
  ReceiveShape receive;

  std::uint32_t SmallestMtu() const;
  std::uint32_t Depth() const;  // of the queue pairs: the most that any size needs
  // Of one worker: the slots that its requests name, and those that the peer's requests name or
  // fill.
  std::uint64_t OwnBytes(std::uint32_t queue_pairs) const;
  std::uint64_t ExposedBytes(const TestPlan& test, std::uint32_t queue_pairs) const;
};

// What a worker allocates for messages.
struct WorkerBytes {
  std::uint64_t own = 0;      // that its requests name
  std::uint64_t exposed = 0;  // that the peer's requests name or fill

  std::uint64_t Sum() const { return own + exposed; }
};
// Of worker `index` of a side, all of whose workers `test` is of: of what the side has no use for
// it has none.
WorkerBytes BytesOf(const Agreement& agreement, const TestPlan& test, Role role,
                    std::uint32_t index);

// Fills in the shapes that follow from the plan and from what was agreed.
void Derive(const TestPlan& test, Agreement& agreement);

// The test as a side runs it over so many devices at once: with the queue pairs and threads of all
// of them, where the plan's are those of each. Worker i is of device i modulo their number: so the
// rule that deals queue pairs to workers deals them to each device as if it were alone.
TestPlan OverRails(TestPlan test, std::size_t rails);

// Both have an offer for each device, and those at one place are joined.
struct Sides {
  std::vector<Offer> client;
  std::vector<Offer> server;
  std::string client_ip;
  std::string server_ip;
  std::uint64_t keep_samples = 0;  // of a size, by the side that measures them
};

// Throws Error(kUsage) for a test that cannot run over so many devices.
void CheckRails(const TestPlan& test, std::size_t rails);

// Throws Error naming what was asked and what is allowed: kUsage, kEnvironment, or kRun for the
// server's limits.
Agreement Agree(const TestPlan& test, const Sides& sides, const Limits& limits);

// What the client checks before it believes the server's decision: its own offer has it. Throws
// Error(kRun).
void Verify(const Agreement& agreement, const TestPlan& test, std::span<const Offer> own);

// Offers of all devices of a side: at least one. Throws Error(kRun).
nlohmann::json OffersToJson(std::span<const Offer> offers);
std::vector<Offer> OffersFromJson(const nlohmann::json& json);
nlohmann::json AgreementToJson(const Agreement& agreement);
// Derives what this test makes of it.
Agreement AgreementFromJson(const nlohmann::json& json, const TestPlan& test);

}  // namespace rdmabench
