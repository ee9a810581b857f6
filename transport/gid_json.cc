#include "transport/gid_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr std::size_t kLongestText = 64;

}  // namespace

nlohmann::json GidToJson(const Gid& gid) {
  return {{"index", gid.index}, {"type", GidTypeName(gid.type)}, {"text", gid.Text()}};
}

Gid GidFromJson(JsonReader reader) {
  Gid gid;
  gid.index = static_cast<int>(reader.Number("index", 0, kMostGidIndex));
  const std::string type = reader.Text("type", kLongestText);
  const std::optional<GidType> known = FindGidType(type);
  if (!known) {
    throw Error(Blame::kRun, reader.path() + ".type is '" + type + "', not a GID type",
                "use the same version of rdmabench on both hosts");
  }
  gid.type = *known;
  gid.raw = ParseGid(reader.Text("text", kLongestText));
  reader.Done();
  return gid;
}

}  // namespace rdmabench
