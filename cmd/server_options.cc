#include "cmd/server_options.h"

#include <CLI/CLI.hpp>

#include "cmd/option_group.h"
#include "cmd/quantity.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr Range kListenPort{0, 65535};
constexpr Range kSessions{1, 1024};
constexpr Range kQueued{0, 1024};
constexpr Range kPerAddress{1, 4096};
constexpr Range kHelloTimeout{100, 600'000};
constexpr Range kIdleTimeout{100, 600'000};

LogFormat ParseLogFormat(const std::string& text) {
  if (text == "text") return LogFormat::kText;
  if (text == "json") return LogFormat::kJson;
  throw Error(Blame::kUsage, "--log-format '" + text + "' is not known",
              "known formats: text, json");
}

}  // namespace

void AddServerOptions(CLI::App& app, ServerOptions& server) {
  LobbyOptions& lobby = server.lobby;
  OptionGroup group(app, "Server");
  group.Number("-p,--port", lobby.port, kListenPort,
               "TCP port; 0: the system chooses, see the output");
  app.add_option("--bind", lobby.bind, "addresses to listen on; default: all")
      ->type_name("IP")
      ->delimiter(',')
      ->group("Server");
  group.Text("--secret-file", lobby.secret_file, "FILE",
             "serve only clients that have the same secret: 16 to 4096 bytes in a file of this "
             "user or root that others cannot read; SIGHUP reads it again");
  group.Number("--max-sessions", lobby.sessions, kSessions,
               "clients served at once, others queue; default 1");
  group.Flag("--once", lobby.once, "end after the first client");
  group.Add("--log-format", "FORMAT",
            "of the events on stderr: text, or json: one object a line (docs/server.md)",
            [&server](const std::string& text) { server.log_format = ParseLogFormat(text); });
  group.Flag("--quiet", server.quiet, "no line per event on stderr");
  // How the server starts the process of one session; an empty group keeps it out of the help.
  OptionGroup child(app, "");
  child.Number("--session-fd", server.session_fd, Range{3, 1 << 20}, "descriptor");
  child.Text("--session-request", server.session_request, "NAME",
             "what its client's hello requests");
  child.Number("--session-events-fd", server.session_events_fd, Range{3, 1 << 20}, "descriptor");
}

void AddServerLimits(CLI::App& app, ServerOptions& server) {
  LobbyOptions& lobby = server.lobby;
  OptionGroup limits(app, "Limits");
  limits.Number("--max-queue", lobby.queue, kQueued, "clients that may wait; default 64");
  limits.Number("--max-per-address", lobby.per_address, kPerAddress,
                "connections of one IP address, served ones included; default 32");
  limits.Time("--hello-timeout", lobby.hello_timeout, kHelloTimeout,
              "for a connection to say hello and prove the secret; default 5s");
  limits.Time("--idle-timeout", server.limits.idle_ms, kIdleTimeout,
              "for a client that is served to send its plan; default 15s");
  limits.Number("--limit-qp", server.limits.queue_pairs, kQueuePairs,
                "queue pairs a client; default 16384");
  limits.Size("--limit-memory", server.limits.memory_bytes, Range{4096, std::uint64_t{1} << 50},
              "bytes of memory a client; default 4G");
  limits.Time("--limit-duration", server.limits.duration_ms, Range{1, kMilliseconds.high},
              "time a test; default 24h");
}

}  // namespace rdmabench
