#include "cmd/server_command.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "bench/rails.h"
#include "bench/serve.h"
#include "bench/site.h"
#include "cmd/exit_code.h"
#include "cmd/log.h"
#include "report/version.h"
#include "transport/device.h"
#include "transport/error.h"
#include "transport/hangup.h"
#include "transport/interrupt.h"
#include "transport/lobby.h"
#include "transport/socket.h"

namespace rdmabench {
namespace {

// The command line of a process that serves the connection.
std::vector<std::string> SessionCommand(std::span<const std::string> args, std::string_view request,
                                        int socket) {
  std::vector<std::string> command = {"rdmabench"};
  command.insert(command.end(), args.begin(), args.end());
  command.push_back("--session-fd=" + std::to_string(socket));
  command.push_back("--session-request=" + std::string(request));
  return command;
}

// Replaces the process by a fresh one. The child of a process with threads does no more in between
// than a signal handler may.
int StartSession(Connection connection, std::string_view request,
                 std::span<const std::string> args) {
  const Descriptor socket = connection.Release();
  std::vector<std::string> command = SessionCommand(args, request, socket.get());
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (std::string& arg : command) argv.push_back(arg.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    // The session must not outlive its server; the parent may have died before this call.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(0);
    Interrupt::RestoreSignals();
    Hangup::Ignore();
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  return CheckErrno(child, "cannot start a process for the session");
}

// The process of one session. Its failure is an event of the server, and so a line of its log.
int RunSession(const Options& options) {
  // Executed through /proc/self/exe, it would be called "exe" in process lists.
  prctl(PR_SET_NAME, "rdmabench");
  const Interrupt interrupt;
  Connection connection{Descriptor(*options.server.session_fd)};
  const std::string peer = connection.peer().ToString();
  const Log log = MakeLog(options.server.quiet);
  try {
    ServeSession(std::move(connection),
                 {.local = options.local,
                  .limits = options.server.limits,
                  .request = options.server.session_request,
                  .log = log},
                 &interrupt);
    return 0;
  } catch (const Error& error) {
    log({.kind = EventKind::kSessionFailed,
         .peer = peer,
         .text = "failed: " + ErrorLine(error) +
                 (error.remedy().empty() ? "" : "; remedy: " + error.remedy()),
         .error = error});
    return ExitCode(error.blame());
  }
}

}  // namespace

int RunServerCommand(const Options& options, std::span<const std::string> args) {
  const ServerOptions& server = options.server;
  if (server.session_fd) return RunSession(options);
  if (!IsAll(options.local.devices)) {
    for (const std::string& name : options.local.devices) RequireDevice(DeviceIn(name));
  }
  CheckPlacement(options.local.placement);
  const Interrupt interrupt;
  const Hangup hangup;
  LobbyOptions lobby_options = server.lobby;
  lobby_options.tool_version = kVersion;
  Lobby lobby(
      lobby_options,
      [args](Connection connection, std::string_view request) {
        return StartSession(std::move(connection), request, args);
      },
      MakeLog(options.server.quiet));
  std::printf("rdmabench %s server listens on port %u\n", std::string(kVersion).c_str(),
              unsigned{lobby.port()});
  std::fflush(stdout);
  const int status = lobby.Run(interrupt, hangup);
  return server.lobby.once ? status : 0;
}

}  // namespace rdmabench
