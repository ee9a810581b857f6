// What one side's endpoint has to know about the other's, and its form on the session.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

namespace rdmabench {

struct PeerInfo {
  std::uint16_t lid = 0;
  std::optional<ibv_gid> gid;
  std::uint64_t addr = 0;
  std::uint64_t bytes = 0;
  std::uint32_t rkey = 0;
  struct QueuePair {
    std::uint32_t qpn = 0;
    std::uint32_t psn = 0;
    std::optional<std::uint32_t> rkey = {};  // absent: the one of all
  };
  std::vector<QueuePair> queue_pairs;
};

// Fields that are not known (no LID on Ethernet, no GID where LIDs do) are absent.
nlohmann::json PeerInfoToJson(const PeerInfo& info);
// Checks every field; throws Error(kRun). `queue_pairs` is how many there have to be.
PeerInfo PeerInfoFromJson(const nlohmann::json& json, std::uint32_t queue_pairs);

}  // namespace rdmabench
