// A server's status for people and for programs.
#pragma once

#include <string>

#include "transport/server_status.h"

namespace rdmabench {

// `server` is what the user called it, with the port: "node7:18515".
std::string StatusText(const ServerStatus& status, const std::string& server);
// The document that cmd/status_schema.json describes.
std::string StatusJson(const ServerStatus& status, const std::string& server);

}  // namespace rdmabench
