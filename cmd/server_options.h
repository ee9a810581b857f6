// What a server is told on its command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/agreement.h"

namespace CLI {
class App;
}

namespace rdmabench {

struct ServerOptions {
  std::vector<std::string> bind;
  std::uint16_t port = 18515;
  std::size_t max_sessions = 1;
  bool once = false;
  bool quiet = false;  // no line per event
  Limits limits;
  // Set in the process of one session.
  std::optional<int> session_fd;
  std::string session_request;
};

void AddServerOptions(CLI::App& app, ServerOptions& server);
// The bounds of what clients get; after the options of devices and memory in the help.
void AddServerLimits(CLI::App& app, ServerOptions& server);

}  // namespace rdmabench
