#include <nlohmann/json.hpp>

#include "bench/agreement.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostU32 = 0xffffffff;
constexpr std::size_t kMostGids = 256;  // an address handle names one in 8 bits

json GidToJson(const Gid& gid) {
  return {{"index", gid.index}, {"type", GidTypeName(gid.type)}, {"text", gid.Text()}};
}

Gid GidFromJson(JsonReader reader) {
  Gid gid;
  gid.index = static_cast<int>(reader.Number("index", 0, kMostGids - 1));
  const std::string type = reader.Text("type");
  const std::optional<GidType> known = FindGidType(type);
  if (!known) throw Error(Blame::kRun, reader.path() + ".type is '" + type + "', not a GID type");
  gid.type = *known;
  gid.raw = ParseGid(reader.Text("text"));
  reader.Done();
  return gid;
}

std::uint32_t U32(JsonReader& reader, const char* key, std::uint64_t low = 0) {
  return static_cast<std::uint32_t>(reader.Number(key, low, kMostU32));
}

}  // namespace

json OfferToJson(const Offer& offer) {
  json gids = json::array();
  for (const Gid& gid : offer.gids) gids.push_back(GidToJson(gid));
  return {{"link_layer", offer.link_layer},
          {"active_mtu_bytes", offer.active_mtu_bytes},
          {"lid", offer.lid},
          {"needs_gid", offer.needs_gid},
          {"gids", std::move(gids)},
          {"max_queue_pairs", offer.max_queue_pairs},
          {"max_depth", offer.max_depth}};
}

Offer OfferFromJson(const json& object) {
  JsonReader reader(object, "offer");
  Offer offer;
  offer.link_layer = reader.Text("link_layer");
  offer.active_mtu_bytes = static_cast<std::uint32_t>(reader.Number("active_mtu_bytes", 0, 4096));
  offer.lid = static_cast<std::uint16_t>(reader.Number("lid", 0, 65535));
  offer.needs_gid = reader.Flag("needs_gid");
  for (JsonReader& gid : reader.Objects("gids", kMostGids)) {
    offer.gids.push_back(GidFromJson(std::move(gid)));
  }
  offer.max_queue_pairs = U32(reader, "max_queue_pairs");
  offer.max_depth = U32(reader, "max_depth", 1);
  reader.Done();
  return offer;
}

json AgreementToJson(const Agreement& agreement) {
  json shapes = json::array();
  for (const RingShape& shape : agreement.shapes) {
    shapes.push_back({{"message_bytes", shape.message_bytes},
                      {"window", shape.window},
                      {"post_list", shape.post_list},
                      {"signal_every", shape.signal_every}});
  }
  json object = {{"mtu_bytes", agreement.mtu_bytes}, {"shapes", std::move(shapes)}};
  if (agreement.client_gid) object["client_gid"] = GidToJson(*agreement.client_gid);
  if (agreement.server_gid) object["server_gid"] = GidToJson(*agreement.server_gid);
  return object;
}

Agreement AgreementFromJson(const json& object, const TestPlan& test) {
  JsonReader reader(object, "agreement");
  Agreement agreement;
  agreement.mtu_bytes = static_cast<std::uint32_t>(reader.Number("mtu_bytes", 256, 4096));
  if (reader.Has("client_gid")) agreement.client_gid = GidFromJson(reader.Object("client_gid"));
  if (reader.Has("server_gid")) agreement.server_gid = GidFromJson(reader.Object("server_gid"));
  const std::vector<std::uint64_t>& sizes = test.run.message_bytes;
  for (JsonReader& fields : reader.Objects("shapes", sizes.size())) {
    RingShape shape;
    shape.message_bytes = static_cast<std::uint32_t>(
        fields.Number("message_bytes", kMessageBytes.low, kMessageBytes.high));
    shape.window = static_cast<std::uint32_t>(fields.Number("window", kDepth.low, kDepth.high));
    shape.post_list =
        static_cast<std::uint32_t>(fields.Number("post_list", kPostList.low, kPostList.high));
    shape.signal_every = static_cast<std::uint32_t>(
        fields.Number("signal_every", kSignalEvery.low, kSignalEvery.high));
    fields.Done();
    const std::size_t index = agreement.shapes.size();
    if (shape.message_bytes != sizes[index] || !shape.Drains()) {
      throw Error(Blame::kRun, fields.path() + " does not answer the plan's size " +
                                   std::to_string(sizes[index]));
    }
    agreement.shapes.push_back(shape);
  }
  reader.Done();
  if (agreement.shapes.size() != sizes.size()) {
    throw Error(Blame::kRun, "the agreement has " + std::to_string(agreement.shapes.size()) +
                                 " sizes, the plan " + std::to_string(sizes.size()));
  }
  return agreement;
}

}  // namespace rdmabench
