#include <nlohmann/json.hpp>

#include "bench/agreement.h"
#include "transport/gid_json.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostU32 = 0xffffffff;
constexpr std::size_t kMostGids = kMostGidIndex + 1;

std::uint32_t U32(JsonReader& reader, const char* key, std::uint64_t low = 0) {
  return static_cast<std::uint32_t>(reader.Number(key, low, kMostU32));
}

json OfferToJson(const Offer& offer) {
  json gids = json::array();
  for (const Gid& gid : offer.gids) gids.push_back(GidToJson(gid));
  return {{"device", offer.device},
          {"link_layer", offer.link_layer},
          {"active_mtu_bytes", offer.active_mtu_bytes},
          {"lid", offer.lid},
          {"needs_gid", offer.needs_gid},
          {"gids", std::move(gids)},
          {"max_queue_pairs", offer.max_queue_pairs},
          {"max_depth", offer.max_depth},
          {"max_read_depth", offer.max_read_depth},
          {"max_srq_depth", offer.max_srq_depth},
          {"atomics", offer.atomics}};
}

Offer OfferFromJson(JsonReader reader) {
  Offer offer;
  offer.device = reader.Text("device");
  offer.link_layer = reader.Text("link_layer");
  offer.active_mtu_bytes = static_cast<std::uint32_t>(reader.Number("active_mtu_bytes", 256, 4096));
  offer.lid = static_cast<std::uint16_t>(reader.Number("lid", 0, 65535));
  offer.needs_gid = reader.Flag("needs_gid");
  for (JsonReader& gid : reader.Objects("gids", kMostGids)) {
    offer.gids.push_back(GidFromJson(std::move(gid)));
  }
  offer.max_queue_pairs = U32(reader, "max_queue_pairs");
  offer.max_depth = U32(reader, "max_depth", 1);
  offer.max_read_depth = U32(reader, "max_read_depth");
  offer.max_srq_depth = U32(reader, "max_srq_depth");
  offer.atomics = reader.Flag("atomics");
  reader.Done();
  return offer;
}

json PathToJson(const Path& path) {
  json object = {{"mtu_bytes", path.mtu_bytes}};
  if (path.client_gid) object["client_gid"] = GidToJson(*path.client_gid);
  if (path.server_gid) object["server_gid"] = GidToJson(*path.server_gid);
  return object;
}

Path PathFromJson(JsonReader reader) {
  Path path;
  path.mtu_bytes = static_cast<std::uint32_t>(reader.Number("mtu_bytes", 256, 4096));
  if (reader.Has("client_gid")) path.client_gid = GidFromJson(reader.Object("client_gid"));
  if (reader.Has("server_gid")) path.server_gid = GidFromJson(reader.Object("server_gid"));
  reader.Done();
  return path;
}

}  // namespace

json OffersToJson(std::span<const Offer> offers) {
  json list = json::array();
  for (const Offer& offer : offers) list.push_back(OfferToJson(offer));
  return {{"devices", std::move(list)}};
}

std::vector<Offer> OffersFromJson(const json& object) {
  JsonReader reader(object, "offer");
  std::vector<Offer> offers;
  for (JsonReader& offer : reader.Objects("devices", kMostRails)) {
    offers.push_back(OfferFromJson(std::move(offer)));
  }
  reader.Done();
  if (offers.empty()) throw Error(Blame::kRun, "the client offers no device");
  return offers;
}

json AgreementToJson(const Agreement& agreement) {
  json paths = json::array();
  for (const Path& path : agreement.paths) paths.push_back(PathToJson(path));
  json object = {{"paths", std::move(paths)},
                 {"most_depth", agreement.most_depth},
                 {"most_receive_depth", agreement.most_receive_depth},
                 {"read_depth", agreement.read_depth}};
  if (agreement.verify_seed) object["verify_seed"] = *agreement.verify_seed;
  return object;
}

Agreement AgreementFromJson(const json& object, const TestPlan& test) {
  JsonReader reader(object, "agreement");
  Agreement agreement;
  for (JsonReader& path : reader.Objects("paths", kMostRails)) {
    agreement.paths.push_back(PathFromJson(std::move(path)));
  }
  if (agreement.paths.empty()) throw Error(Blame::kRun, "the server's agreement is of no device");
  agreement.most_depth = static_cast<std::uint32_t>(reader.Number("most_depth", 1, kDepth.high));
  agreement.most_receive_depth =
      static_cast<std::uint32_t>(reader.Number("most_receive_depth", 1, kDepth.high));
  agreement.read_depth =
      static_cast<std::uint32_t>(reader.Number("read_depth", 0, kReadDepth.high));
  if (reader.Has("verify_seed")) agreement.verify_seed = U32(reader, "verify_seed");
  reader.Done();
  Derive(test, agreement);
  return agreement;
}

}  // namespace rdmabench
