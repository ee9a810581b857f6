#include "bench/examine_request.h"

#include <nlohmann/json.hpp>

#include "bench/plan.h"
#include "transport/json_reader.h"

namespace rdmabench {

nlohmann::json ExamineRequestToJson(const ExamineRequest& request) {
  return {{"devices", request.devices}};
}

ExamineRequest ExamineRequestFromJson(const nlohmann::json& body) {
  JsonReader reader(body, "examine");
  ExamineRequest request{.devices = reader.Texts("devices", kMostRails)};
  reader.Done();
  return request;
}

}  // namespace rdmabench
