#include "cmd/server_options.h"

#include <CLI/CLI.hpp>

#include "cmd/option_group.h"
#include "cmd/quantity.h"

namespace rdmabench {
namespace {

constexpr Range kListenPort{0, 65535};
constexpr Range kSessions{1, 1024};

}  // namespace

void AddServerOptions(CLI::App& app, ServerOptions& server) {
  OptionGroup group(app, "Server");
  group.Number("-p,--port", server.port, kListenPort,
               "TCP port; 0: the system chooses, see the output");
  app.add_option("--bind", server.bind, "addresses to listen on; default: all")
      ->type_name("IP")
      ->delimiter(',')
      ->group("Server");
  group.Number("--max-sessions", server.max_sessions, kSessions,
               "clients served at once, others queue; default 1");
  group.Flag("--once", server.once, "end after the first client");
  group.Flag("--quiet", server.quiet, "no line per event on stderr");
  // How the server starts the process of one session; an empty group keeps it out of the help.
  OptionGroup child(app, "");
  child.Number("--session-fd", server.session_fd, Range{3, 1 << 20}, "descriptor");
  child.Text("--session-request", server.session_request, "NAME",
             "what its client's hello requests");
}

void AddServerLimits(CLI::App& app, ServerOptions& server) {
  OptionGroup limits(app, "Limits");
  limits.Number("--limit-qp", server.limits.queue_pairs, kQueuePairs, "queue pairs a client");
  limits.Size("--limit-memory", server.limits.memory_bytes, Range{4096, std::uint64_t{1} << 50},
              "bytes of memory a client; default 4G");
  limits.Time("--limit-duration", server.limits.duration_ms, Range{1, kMilliseconds.high},
              "time a test; default 24h");
}

}  // namespace rdmabench
