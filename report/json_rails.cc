#include "report/json_rails.h"

#include <nlohmann/json.hpp>
#include <string>

namespace rdmabench::report {
namespace {

using Json = nlohmann::ordered_json;

Json MovesJson(const CounterDeltas& counters) {
  Json json = Json::object();
  for (const auto& [name, move] : counters) json[name] = move;
  return json;
}

}  // namespace

Json GidJson(const Gid& gid) {
  return {{"index", gid.index}, {"type", gid.type}, {"text", gid.text}};
}

Json CountersJson(const Counters& counters) {
  Json json = Json::object();
  if (!counters.client.empty()) json["client"] = MovesJson(counters.client);
  if (!counters.server.empty()) json["server"] = MovesJson(counters.server);
  return json;
}

Json RailJson(const Rail& rail) {
  Json json = Json::object();
  if (!rail.client_device.empty()) json["client_device"] = rail.client_device;
  if (!rail.server_device.empty()) json["server_device"] = rail.server_device;
  json["mtu_bytes"] = rail.mtu_bytes;
  if (rail.client_gid) json["client_gid"] = GidJson(*rail.client_gid);
  if (rail.server_gid) json["server_gid"] = GidJson(*rail.server_gid);
  json["sent_messages"] = rail.sent_messages;
  json["messages"] = rail.messages;
  json["bytes"] = rail.bytes;
  if (rail.bytes_per_second) json["bytes_per_second"] = *rail.bytes_per_second;
  if (rail.messages_per_second) json["messages_per_second"] = *rail.messages_per_second;
  if (Json counters = CountersJson(rail.counters); !counters.empty()) {
    json["counters"] = std::move(counters);
  }
  return json;
}

}  // namespace rdmabench::report
