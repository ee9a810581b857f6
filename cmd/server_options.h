// What a server is told on its command line.
#pragma once

#include <optional>
#include <string>

#include "bench/agreement.h"
#include "cmd/log.h"
#include "transport/lobby_options.h"

namespace CLI {
class App;
}

namespace rdmabench {

struct ServerOptions {
  LobbyOptions lobby;
  LogFormat log_format = LogFormat::kText;
  bool quiet = false;  // no line per event
  Limits limits;
  // Set in the process of one session.
  std::optional<int> session_fd;
  std::string session_request;
  std::optional<int> session_events_fd;
};

void AddServerOptions(CLI::App& app, ServerOptions& server);
// The bounds of what clients get; after the options of devices and memory in the help.
void AddServerLimits(CLI::App& app, ServerOptions& server);

}  // namespace rdmabench
