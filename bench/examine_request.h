// What a doctor asks of its server, on the wire.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace rdmabench {

struct ExamineRequest {
  std::vector<std::string> devices;  // as --remote-device names them; none: the server chooses
};

nlohmann::json ExamineRequestToJson(const ExamineRequest& request);
// Throws Error(kRun) when it is ill-formed, or names more devices than there can be.
ExamineRequest ExamineRequestFromJson(const nlohmann::json& body);

}  // namespace rdmabench
