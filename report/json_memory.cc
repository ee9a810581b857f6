#include "report/json_memory.h"

#include <nlohmann/json.hpp>

namespace rdmabench::report {
namespace {

using Json = nlohmann::ordered_json;

Json MemoryJson(const Memory& memory) {
  Json json = {{"kind", memory.kind}};
  if (!memory.registration.empty()) json["registration"] = memory.registration;
  if (memory.page_bytes) json["page_bytes"] = *memory.page_bytes;
  return json;
}

}  // namespace

Json MemoriesJson(const Memories& memories) {
  Json json = Json::object();
  if (memories.client) json["client"] = MemoryJson(*memories.client);
  if (memories.server) json["server"] = MemoryJson(*memories.server);
  return json;
}

}  // namespace rdmabench::report
