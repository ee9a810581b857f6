#include "cmd/server_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/serve.h"
#include "bench/site.h"
#include "cmd/exit_code.h"
#include "cmd/log.h"
#include "cmd/service_manager.h"
#include "report/version.h"
#include "transport/catalogue.h"
#include "transport/error.h"
#include "transport/event_pipe.h"
#include "transport/hangup.h"
#include "transport/interrupt.h"
#include "transport/lobby.h"
#include "transport/ready_notice.h"
#include "transport/socket.h"

namespace rdmabench {
namespace {

// The command line of a process that serves the connection and tells its events.
std::vector<std::string> SessionCommand(std::span<const std::string> args,
                                        const std::string& request, int socket, int events) {
  std::vector<std::string> command = {"rdmabench"};
  command.insert(command.end(), args.begin(), args.end());
  command.push_back("--session-fd=" + std::to_string(socket));
  command.push_back("--session-request=" + request);
  command.push_back("--session-events-fd=" + std::to_string(events));
  return command;
}

// Replaces the process by a fresh one. The child of a process with threads does no more in between
// than a signal handler may.
SessionProcess StartSession(Connection connection, const Visit& visit,
                            std::span<const std::string> args) {
  const Descriptor socket = connection.Release();
  EventPipe pipe;
  const int events = pipe.writer.get();
  std::vector<std::string> command = SessionCommand(args, visit.request, socket.get(), events);
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (std::string& arg : command) argv.push_back(arg.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    // The session must not outlive its server, and its client is not to take that for anybody's
    // wish, as it would an interrupt's orderly end. The parent may have died before this call.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    Interrupt::RestoreSignals();
    Hangup::Ignore();
    fcntl(events, F_SETFD, 0);
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  CheckErrno(child, "cannot start a process for the session");
  return {.pid = child, .events = std::move(pipe.reader)};
}

// What the process of a session has to tell goes to its parent, which writes the log.
Log TellParent(const ServerOptions& server) {
  if (!server.session_events_fd) return MakeLog(server.log_format, server.quiet);
  auto writer = std::make_shared<EventWriter>(Descriptor(*server.session_events_fd));
  return [writer](const Event& event) { writer->Write(event); };
}

std::string FailureText(const Error& error) {
  const std::string_view what = IsInterruption(error) ? "interrupted: "
                                : error.is_refusal()  ? "refused: "
                                                      : "failed: ";
  return std::string(what) + ErrorLine(error) +
         (error.remedy().empty() ? "" : "; remedy: " + error.remedy());
}

Event LastWord(const Error& error) {
  Event event{
      .kind = EventKind::kSessionEnded, .peer = "", .text = FailureText(error), .error = error};
  if (error.is_refusal()) {
    event.fields.push_back({std::string(kOutcomeKey), std::string(kRefused)});
  }
  return event;
}

// The process of one session. Its failure is an event of the server, as its refusal is.
int RunSession(const Options& options) {
  // Executed through /proc/self/exe, it would be called "exe" in process lists.
  prctl(PR_SET_NAME, "rdmabench");
  const Interrupt interrupt;
  const Log log = TellParent(options.server);
  try {
    ServeSession(Connection(Descriptor(*options.server.session_fd)),
                 {.local = options.local,
                  .limits = options.server.limits,
                  .request = options.server.session_request,
                  .log = log},
                 &interrupt);
    return 0;
  } catch (const Error& error) {
    log(LastWord(error));
    return ExitCode(error.blame());
  }
}

// Listens, serves, and tells the log and the service manager of it.
int Serve(const ServerOptions& server, std::span<const std::string> args, const Log& log,
          ServiceManager& manager) {
  const Interrupt interrupt;
  const Hangup hangup;
  LobbyOptions lobby_options = server.lobby;
  lobby_options.tool_version = kVersion;
  lobby_options.session_limits.queue_pairs = server.limits.queue_pairs;
  lobby_options.session_limits.memory_bytes = server.limits.memory_bytes;
  lobby_options.session_limits.test_seconds = static_cast<double>(server.limits.duration_ms) / 1e3;
  lobby_options.crowd_changed = [&manager](std::size_t sessions, std::size_t queued) {
    manager.Crowd(sessions, queued);
  };
  Lobby lobby(
      lobby_options,
      [args](Connection connection, const Visit& visit) {
        return StartSession(std::move(connection), visit, args);
      },
      [&](const Event& event) {
        log(event);
        manager.Hear(event);
      });
  std::printf("rdmabench %s server listens on port %u\n", std::string(kVersion).c_str(),
              unsigned{lobby.port()});
  std::fflush(stdout);
  log({.kind = EventKind::kListening,
       .peer = "",
       .text = "listens on port " + std::to_string(lobby.port()),
       .fields = {{"pid", static_cast<std::uint64_t>(getpid())},
                  {"port", std::uint64_t{lobby.port()}},
                  {"tool_version", std::string(kVersion)}}});
  manager.Ready();
  const int status = lobby.Run(interrupt, hangup);
  return server.lobby.once ? status : 0;
}

}  // namespace

int RunServerCommand(const Options& options, std::span<const std::string> args) {
  const ServerOptions& server = options.server;
  if (server.session_fd) return RunSession(options);
  const Log log = MakeLog(server.log_format, server.quiet);
  ServiceManager manager(ReadyNotice::FromEnvironment(), log);
  try {
    CheckLocal(options.local);
    return Serve(server, args, log, manager);
  } catch (const Error& error) {
    // In a log for programs this is a line as any other; people get main's two.
    if (server.log_format == LogFormat::kText) throw;
    log({.kind = EventKind::kServerFailed, .peer = "", .text = FailureText(error), .error = error});
    return ExitCode(error.blame());
  }
}

}  // namespace rdmabench
