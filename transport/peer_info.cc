#include "transport/peer_info.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "transport/error.h"
#include "transport/gid.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

constexpr std::uint64_t kLastUnicastLid = 0xbfff;
constexpr std::uint64_t kMost24Bits = 0xffffff;
constexpr std::uint64_t kMost32Bits = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMost64Bits = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kLongestGid = 45;

}  // namespace

nlohmann::json PeerInfoToJson(const PeerInfo& info) {
  nlohmann::json json = {{"addr", info.addr}, {"bytes", info.bytes}, {"rkey", info.rkey}};
  if (info.lid != 0) json["lid"] = info.lid;
  if (info.gid) json["gid"] = GidText(*info.gid);
  nlohmann::json& queue_pairs = json["queue_pairs"] = nlohmann::json::array();
  for (const PeerInfo::QueuePair& pair : info.queue_pairs) {
    queue_pairs.push_back({{"qpn", pair.qpn}, {"psn", pair.psn}});
    if (pair.rkey) queue_pairs.back()["rkey"] = *pair.rkey;
  }
  return json;
}

PeerInfo PeerInfoFromJson(const nlohmann::json& json, std::uint32_t queue_pairs) {
  JsonReader reader(json, "peer");
  PeerInfo info;
  if (reader.Has("lid")) {
    info.lid = static_cast<std::uint16_t>(reader.Number("lid", 1, kLastUnicastLid));
  }
  if (reader.Has("gid")) info.gid = ParseGid(reader.Text("gid", kLongestGid));
  info.addr = reader.Number("addr", 0, kMost64Bits);
  // An end beyond the address space would let a checked offset wrap.
  info.bytes = reader.Number("bytes", 0, kMost64Bits - info.addr);
  info.rkey = static_cast<std::uint32_t>(reader.Number("rkey", 0, kMost32Bits));
  for (JsonReader& pair : reader.Objects("queue_pairs", queue_pairs)) {
    info.queue_pairs.push_back(
        {.qpn = static_cast<std::uint32_t>(pair.Number("qpn", 1, kMost24Bits)),
         .psn = static_cast<std::uint32_t>(pair.Number("psn", 0, kMost24Bits))});
    if (pair.Has("rkey")) {
      info.queue_pairs.back().rkey =
          static_cast<std::uint32_t>(pair.Number("rkey", 0, kMost32Bits));
    }
    pair.Done();
  }
  reader.Done();
  if (info.queue_pairs.size() != queue_pairs) {
    throw Error(Blame::kRun, "the peer told of " + std::to_string(info.queue_pairs.size()) +
                                 " queue pairs, and " + std::to_string(queue_pairs) +
                                 " were agreed");
  }
  return info;
}

}  // namespace rdmabench
