#include "transport/lobby.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transport/catalogue.h"
#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/event_limiter.h"
#include "transport/guest.h"
#include "transport/guest_queue.h"
#include "transport/hello.h"
#include "transport/reception.h"
#include "transport/secret.h"
#include "transport/server_status.h"
#include "transport/status_desk.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;

// Without descriptors left a waiting connection stays readable, and accepting it would fail again
// at once.
constexpr milliseconds kAfterExhaustion{200};
constexpr milliseconds kOrdinaryLateness{20};
constexpr int kAcceptsPerTurn = 32;

std::optional<Secret> ReadSecret(const LobbyOptions& options) {
  if (options.secret_file.empty()) return std::nullopt;
  return Secret::FromFile(options.secret_file);
}

}  // namespace

class Lobby::Impl {
 public:
  Impl(const LobbyOptions& options, Start start, Log log)
      : options_(options),
        start_(std::move(start)),
        log_(std::move(log)),
        limited_log_(log_),
        reception_(options_, ReadSecret(options), limited_log_),
        queue_(options_, limited_log_),
        status_desk_(options_),
        listener_(std::in_place, options.bind, options.port),
        port_(listener_->port()) {}

  std::uint16_t port() const { return port_; }

  int Run(const Interrupt& interrupt, const Hangup& hangup) {
    WarnWithoutSecret();
    while (!interrupt.Pending() && !finished()) Turn(interrupt, hangup);
    ShutDown();
    return last_status_;
  }

 private:
  bool finished() const { return options_.once && ended_ > 0; }
  bool is_ready(int fd) const { return ready_.contains(fd); }

  void WarnWithoutSecret() const {
    if (!options_.secret_file.empty() || listener_->IsOnlyLoopback()) return;
    log_({.kind = EventKind::kNoSecret,
          .peer = "",
          .text = "has no secret: whoever reaches port " + std::to_string(port_) +
                  " can use this machine's devices; remedy: --secret-file FILE here and at the "
                  "clients, or --bind to addresses that only they reach",
          .fields = {{"port", std::uint64_t{port_}}}});
  }

  void Turn(const Interrupt& interrupt, const Hangup& hangup) {
    Wait(interrupt, hangup);
    if (hangup.Take()) ReadSecretAgain();
    for (Guest& guest : reception_.Turn(ready_)) Welcome(std::move(guest));
    queue_.Hear(ready_);
    status_desk_.Turn(ready_);
    ReapSessions();
    AcceptConnections();
    if (!finished()) AdmitClients();
    queue_.TellPlaces();
    TellCrowd();
    limited_log_.TellWhatWasLeftOut();
  }

  void TellCrowd() {
    const std::pair crowd(running_.size(), queue_.size());
    if (crowd == told_crowd_) return;
    told_crowd_ = crowd;
    if (options_.crowd_changed) options_.crowd_changed(crowd.first, crowd.second);
  }

  void ReadSecretAgain() {
    const std::string& file = options_.secret_file;
    if (file.empty()) {
      log_({.kind = EventKind::kSecretKept,
            .peer = "",
            .text = "SIGHUP: there is no secret file to read again (--secret-file)"});
      return;
    }
    try {
      reception_.SetSecret(Secret::FromFile(file));
      log_({.kind = EventKind::kSecretRead,
            .peer = "",
            .text = "SIGHUP: the secret file '" + file + "' is read again"});
    } catch (const Error& error) {
      log_({.kind = EventKind::kSecretKept,
            .peer = "",
            .text = std::string("SIGHUP: the secret stays as it was: ") + error.what() +
                    "; remedy: " + error.remedy(),
            .error = error});
    }
  }

  void Wait(const Interrupt& interrupt, const Hangup& hangup) {
    std::vector<int> readable = {interrupt.fd(), hangup.fd()};
    std::vector<int> writable;
    reception_.AddFds(readable, writable);
    queue_.AddFds(readable, writable);
    status_desk_.AddFds(readable, writable);
    if (Now() >= accept_again_) {
      readable.insert(readable.end(), listener_->fds().begin(), listener_->fds().end());
    }
    for (const RunningSession& session : running_) {
      readable.insert(readable.end(), {session.process_fd(), session.events_fd()});
    }
    const Deadline planned = NextDuty();
    const std::vector<bool> flags = WaitReady(readable, writable, planned);
    ready_.clear();
    for (std::size_t i = 0; i < readable.size(); ++i) {
      if (flags[i]) ready_.insert(readable[i]);
    }
    const Deadline::duration late = Now() - planned;
    if (late < kOrdinaryLateness) return;
    reception_.Forgive(late);
    queue_.Forgive(late);
  }

  Deadline NextDuty() const {
    Deadline next = std::min({reception_.NextDuty(), queue_.NextDuty(), status_desk_.NextDuty(),
                              limited_log_.NextDuty()});
    if (exhausted_) next = std::min(next, accept_again_);
    return next;
  }

  void Welcome(Guest guest) {
    if (guest.request() == kStatusRequest) {
      limited_log_.Tell(
          {.kind = EventKind::kStatusAsked, .peer = guest.name(), .text = "is told the status"});
      status_desk_.Answer(std::move(guest), Describe());
      return;
    }
    const std::size_t clients = running_.size() + queue_.size() + 1;
    if (clients > options_.sessions + options_.queue) {
      Dismiss(guest, SessionError("full", "the server is full: place " +
                                              std::to_string(clients - options_.sessions) +
                                              " in its queue was asked, " +
                                              std::to_string(options_.queue) + " are allowed"));
      return;
    }
    const std::string name = guest.name();
    const std::size_t place = queue_.Join(std::move(guest), Served());
    if (clients <= options_.sessions) return;
    limited_log_.Tell({.kind = EventKind::kQueued,
                       .peer = name,
                       .text = "queued at place " + std::to_string(place),
                       .fields = {{"place", place}}});
  }

  CountByAddress Served() const {
    CountByAddress served;
    for (const RunningSession& session : running_) ++served[session.visit().ip];
    return served;
  }

  ServerStatus Describe() const {
    const auto seconds_since = [](Deadline then) {
      return std::chrono::duration<double>(Now() - then).count();
    };
    ServerStatus status;
    status.tool_version = options_.tool_version;
    status.pid = static_cast<std::uint64_t>(getpid());
    status.uptime_seconds = seconds_since(started_at_);
    for (const RunningSession& session : running_) status.sessions.push_back(session.Describe());
    for (const Guest& guest : queue_.guests()) {
      status.queue.push_back({.place = status.queue.size() + 1,
                              .peer = guest.name(),
                              .request = guest.request(),
                              .waiting_seconds = seconds_since(guest.arrived_at())});
    }
    status.totals = totals_;
    status.totals.clients_dismissed = limited_log_.CountOf(EventKind::kDismissed);
    status.totals.wrong_secrets = limited_log_.CountOf(EventKind::kWrongSecret);
    status.totals.connections_turned_away = limited_log_.CountOf(EventKind::kTurnedAway);
    status.limits = options_.session_limits;
    status.limits.sessions = options_.sessions;
    status.limits.queued = options_.queue;
    status.limits.connections_per_address = options_.per_address;
    return status;
  }

  void Dismiss(Guest& guest, const Error& error) {
    limited_log_.Tell(DismissedEvent(guest, error));
    guest.Dismiss(error);
  }

  void AcceptConnections() {
    for (const int fd : listener_->fds()) {
      if (!is_ready(fd)) continue;
      try {
        for (int i = 0; i < kAcceptsPerTurn; ++i) {
          std::optional<Connection> connection = listener_->Accept(fd);
          if (!connection) break;
          exhausted_ = false;
          const std::string& ip = connection->peer().ip;
          const std::size_t clients = queue_.CountOf(ip) + Served()[ip];
          reception_.Receive(std::move(*connection), clients);
        }
      } catch (const Error& error) {
        if (!exhausted_) {
          log_(
              {.kind = EventKind::kAcceptFailed, .peer = "", .text = error.what(), .error = error});
        }
        exhausted_ = true;
        accept_again_ = In(kAfterExhaustion);
      }
    }
  }

  void AdmitClients() {
    while (running_.size() < options_.sessions) {
      std::optional<Guest> next = queue_.Next();
      if (!next) return;
      Admit(*next);
    }
  }

  void Admit(Guest& guest) {
    const Visit visit{
        .session = ++sessions_, .peer = guest.name(), .ip = guest.ip(), .request = guest.request()};
    try {
      running_.emplace_back(visit, start_(guest.Leave(), visit));
      log_(running_.back().Started());
    } catch (const Error& error) {
      log_({.kind = EventKind::kStartFailed,
            .peer = visit.peer,
            .text = std::string("cannot be served: ") + error.what(),
            .error = error});
      Count(1, &ServerStatus::Totals::sessions_failed);
    }
  }

  // A session has ended with this status, which adds to this total.
  void Count(int status, std::uint64_t ServerStatus::Totals::*total) {
    ++ended_;
    last_status_ = status;
    ++(totals_.*total);
  }

  void ReapSessions() {
    std::erase_if(running_, [this](RunningSession& session) {
      const bool ended = is_ready(session.process_fd());
      if (ended || is_ready(session.events_fd())) {
        for (const Event& event : session.Hear()) log_(event);
      }
      const auto end = ended ? session.Reap() : std::nullopt;
      if (!end) return false;
      Count(end->status, end->outcome.total);
      log_(end->event);
      return true;
    });
  }

  void ShutDown() {
    listener_.reset();
    log_({.kind = EventKind::kShuttingDown,
          .peer = "",
          .text = "is shutting down: " + std::to_string(running_.size()) +
                  " sessions are told to end, " + std::to_string(queue_.size()) +
                  " queued clients are sent away"});
    const Error reason = SessionError("shutdown", "the server is shutting down");
    reception_.Close(reason);
    queue_.Close(reason);
    SignalSessions(SIGTERM);
    const Deadline kill_at = In(options_.kill_after);
    // A process that hangs in the kernel does not end by SIGKILL, either; it is left to the system.
    const Deadline leave_at = kill_at + options_.kill_after;
    bool killed = false;
    while (!running_.empty()) {
      std::vector<int> fds;
      for (const RunningSession& session : running_) {
        fds.insert(fds.end(), {session.process_fd(), session.events_fd()});
      }
      WaitReady(fds, {}, killed ? leave_at : kill_at);
      ready_ = std::set<int>(fds.begin(), fds.end());
      ReapSessions();
      if (Now() >= leave_at) return;
      if (killed || Now() < kill_at) continue;
      SignalSessions(SIGKILL);
      killed = true;
    }
  }

  void SignalSessions(int signal) const {
    for (const RunningSession& session : running_) session.Signal(signal);
  }

  const LobbyOptions options_;
  const Start start_;
  const Log log_;
  EventLimiter limited_log_;  // of clients that are not served
  Reception reception_;
  GuestQueue queue_;
  StatusDesk status_desk_;
  std::optional<Listener> listener_;
  const std::uint16_t port_;

  std::vector<RunningSession> running_;
  std::uint64_t sessions_ = 0;                      // since the start
  std::pair<std::size_t, std::size_t> told_crowd_;  // sessions, queued
  const Deadline started_at_ = Now();
  ServerStatus::Totals totals_;
  std::size_t ended_ = 0;
  int last_status_ = 0;

  std::set<int> ready_;  // descriptors that can be read, as of the last wait
  Deadline accept_again_;
  bool exhausted_ = false;  // the last attempt to accept found no descriptor left
};

Lobby::Lobby(const LobbyOptions& options, Start start, Log log)
    : impl_(std::make_unique<Impl>(options, std::move(start), std::move(log))) {}

Lobby::~Lobby() = default;

std::uint16_t Lobby::port() const { return impl_->port(); }

int Lobby::Run(const Interrupt& interrupt, const Hangup& hangup) {
  return impl_->Run(interrupt, hangup);
}

}  // namespace rdmabench
