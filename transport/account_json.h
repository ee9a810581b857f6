// A side's examination on the wire: the server's own, for the client.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "transport/finding.h"
#include "transport/side_facts.h"

namespace rdmabench {

struct Account {
  std::string host;  // its name; may be empty
  std::vector<Finding> findings;
  SideFacts facts;
};

// Texts are cut to what AccountFromJson() takes, and made printable: file contents are in them.
nlohmann::json AccountToJson(const Account& account);
// Checks every field, and that all findings are of `side`; throws Error(kRun).
Account AccountFromJson(const nlohmann::json& json, const std::string& side);

}  // namespace rdmabench
