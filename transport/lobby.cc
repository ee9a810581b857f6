#include "transport/lobby.h"

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "transport/child_process.h"
#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/guest.h"
#include "transport/hello.h"
#include "transport/peer_error.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;

// Without descriptors left a waiting connection stays readable, and accepting it would fail again
// at once.
constexpr milliseconds kAfterExhaustion{200};
constexpr milliseconds kOrdinaryLateness{20};
constexpr int kAcceptsPerTurn = 32;

}  // namespace

class Lobby::Impl {
 public:
  Impl(const LobbyOptions& options, Start start, Log log)
      : options_(options),
        start_(std::move(start)),
        log_(std::move(log)),
        listener_(std::in_place, options.bind, options.port),
        port_(listener_->port()) {}

  std::uint16_t port() const { return port_; }

  int Run(const Interrupt& interrupt) {
    while (!interrupt.Pending() && !finished()) Turn(interrupt);
    interrupt.Acknowledge();
    ShutDown();
    return last_status_;
  }

 private:
  struct Running {
    ChildProcess process;
    std::string client;
  };

  bool finished() const { return options_.once && ended_ > 0; }
  bool is_ready(int fd) const { return ready_.contains(fd); }

  void Turn(const Interrupt& interrupt) {
    Wait(interrupt);
    std::erase_if(strangers_, [this](Guest& guest) { return !KeepStranger(guest); });
    std::erase_if(queue_, [this](Guest& guest) { return !KeepQueued(guest); });
    ReapSessions();
    AcceptConnections();
    if (!finished()) AdmitClients();
    TellPlaces();
  }

  void Wait(const Interrupt& interrupt) {
    std::vector<int> readable = {interrupt.fd()};
    if (Now() >= accept_again_) {
      readable.insert(readable.end(), listener_->fds().begin(), listener_->fds().end());
    }
    for (const Running& session : running_) readable.push_back(session.process.fd());
    for (const Guest& guest : strangers_) readable.push_back(guest.fd());
    for (const Guest& guest : queue_) readable.push_back(guest.fd());
    std::vector<int> writable;
    for (const Guest& guest : queue_) {
      if (guest.has_unsent()) writable.push_back(guest.fd());
    }
    const Deadline planned = NextDuty();
    const std::vector<bool> flags = WaitReady(readable, writable, planned);
    ready_.clear();
    for (std::size_t i = 0; i < readable.size(); ++i) {
      if (flags[i]) ready_.insert(readable[i]);
    }
    const Deadline::duration late = Now() - planned;
    if (late < kOrdinaryLateness) return;
    for (Guest& guest : strangers_) guest.Forgive(late);
    for (Guest& guest : queue_) guest.Forgive(late);
  }

  Deadline NextDuty() const {
    Deadline next = Deadline::max();
    for (const Guest& guest : strangers_) {
      next = std::min(next, guest.arrived_at() + options_.hello_timeout);
    }
    for (const Guest& guest : queue_)
      next = std::min(next, guest.heard_at() + options_.peer_timeout);
    if (!queue_.empty()) next = std::min(next, next_places_);
    if (exhausted_) next = std::min(next, accept_again_);
    return next;
  }

  bool KeepStranger(Guest& guest) {
    try {
      if (is_ready(guest.fd())) {
        const auto frame = guest.Read();
        if (frame && frame->first != "heartbeat") {
          Welcome(guest, frame->first, frame->second);
          return false;
        }
      }
      if (Now() < guest.arrived_at() + options_.hello_timeout) return true;
      throw Error(Blame::kRun, "no hello came within " + InSeconds(options_.hello_timeout));
    } catch (const Error& error) {
      Dismiss(guest, error);
      return false;
    }
  }

  void Welcome(Guest& guest, const std::string& kind, const nlohmann::json& body) {
    if (kind != "hello") throw Error(Blame::kRun, "it sent '" + kind + "' in place of hello");
    guest.set_request(CheckHello(body, options_.tool_version).request);
    const std::size_t clients = running_.size() + queue_.size() + 1;
    if (clients > options_.sessions + options_.queue) {
      throw Error(Blame::kRun,
                  "the server is full: place " + std::to_string(clients - options_.sessions) +
                      " in its queue was asked, " + std::to_string(options_.queue) + " are allowed",
                  "try again later");
    }
    if (clients > options_.sessions) {
      const std::size_t place = queue_.size() + 1;
      log_({.kind = EventKind::kQueued,
            .peer = guest.name(),
            .text = "queued at place " + std::to_string(place),
            .fields = {{"place", place}}});
    }
    queue_.push_back(std::move(guest));
    next_places_ = Now();
  }

  bool KeepQueued(Guest& guest) {
    try {
      guest.Flush();
      const auto frame = is_ready(guest.fd()) ? guest.Read() : std::nullopt;
      if (frame && frame->first == "error") throw ErrorFromPeer(frame->second);
      if (frame && frame->first != "heartbeat") {
        throw Error(Blame::kRun, "it sent '" + frame->first + "' while it was queued");
      }
      if (Now() < guest.heard_at() + options_.peer_timeout) return true;
      throw Error(Blame::kRun, "it has been silent for " + InSeconds(options_.peer_timeout));
    } catch (const Error& error) {
      Dismiss(guest, error);
      return false;
    }
  }

  void Dismiss(Guest& guest, const Error& error) {
    log_({.kind = EventKind::kDismissed,
          .peer = guest.name(),
          .text = std::string("dismissed: ") + error.what(),
          .error = error});
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
          Receive(std::move(*connection));
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

  void Receive(Connection connection) {
    if (strangers_.size() < options_.strangers) {
      strangers_.emplace_back(std::move(connection));
      return;
    }
    log_({.kind = EventKind::kTurnedAway,
          .peer = connection.peer().ToString(),
          .text = "closed: " + std::to_string(options_.strangers) +
                  " connections have not said hello, more are not allowed"});
  }

  void AdmitClients() {
    while (running_.size() < options_.sessions) {
      // Whoever has stopped in the middle of a frame does not hold up those behind.
      const auto next = std::find_if(queue_.begin(), queue_.end(),
                                     [](const Guest& guest) { return guest.can_leave(); });
      if (next == queue_.end()) return;
      Guest guest = std::move(*next);
      queue_.erase(next);
      Admit(guest);
    }
  }

  void Admit(Guest& guest) {
    const std::string client = guest.name();
    try {
      const std::string request = guest.request();
      const int pid = start_(guest.Leave(), request);
      running_.push_back({ChildProcess(pid), client});
      log_({.kind = EventKind::kSessionStarted,
            .peer = client,
            .text = "is served by process " + std::to_string(pid),
            .fields = {{"pid", static_cast<std::uint64_t>(pid)}, {"request", request}}});
    } catch (const Error& error) {
      log_({.kind = EventKind::kStartFailed,
            .peer = client,
            .text = std::string("cannot be served: ") + error.what(),
            .error = error});
      ++ended_;
      last_status_ = 1;
    }
  }

  void TellPlaces() {
    if (queue_.empty() || Now() < next_places_) return;
    next_places_ = In(options_.heartbeat);
    std::size_t place = 0;
    std::erase_if(queue_, [this, &place](Guest& guest) {
      ++place;
      if (guest.has_unsent()) return false;  // it does not read what it was told before
      try {
        guest.Send("queued", {{"place", place}});
        return false;
      } catch (const Error& error) {
        Dismiss(guest, error);
        --place;
        return true;
      }
    });
  }

  void ReapSessions() {
    std::erase_if(running_, [this](const Running& session) {
      if (!is_ready(session.process.fd())) return false;
      const std::optional<Outcome> outcome = session.process.Reap();
      if (!outcome) return false;
      ++ended_;
      last_status_ = outcome->status;
      const int pid = session.process.pid();
      log_({.kind = EventKind::kSessionEnded,
            .peer = session.client,
            .text = "ended: " + outcome->words + ", process " + std::to_string(pid),
            .fields = {{"pid", static_cast<std::uint64_t>(pid)},
                       {"exit_code", static_cast<std::uint64_t>(outcome->status)}}});
      return true;
    });
  }

  void ShutDown() {
    listener_.reset();
    const Error reason(Blame::kRun, "the server is shutting down");
    for (Guest& guest : strangers_) guest.Dismiss(reason);
    for (Guest& guest : queue_) Dismiss(guest, reason);
    strangers_.clear();
    queue_.clear();
    SignalSessions(SIGTERM);
    const Deadline kill_at = In(options_.kill_after);
    bool killed = false;
    while (!running_.empty()) {
      std::vector<int> fds;
      for (const Running& session : running_) fds.push_back(session.process.fd());
      WaitReady(fds, {}, killed ? Deadline::max() : kill_at);
      ready_ = std::set<int>(fds.begin(), fds.end());
      ReapSessions();
      if (killed || Now() < kill_at) continue;
      SignalSessions(SIGKILL);
      killed = true;
    }
  }

  void SignalSessions(int signal) const {
    for (const Running& session : running_) session.process.Signal(signal);
  }

  const LobbyOptions options_;
  const Start start_;
  const Log log_;
  std::optional<Listener> listener_;
  const std::uint16_t port_;

  std::vector<Guest> strangers_;  // have not said hello
  std::vector<Guest> queue_;      // wait for their turn, the next one first
  std::vector<Running> running_;
  std::size_t ended_ = 0;
  int last_status_ = 0;

  std::set<int> ready_;  // descriptors that can be read, as of the last wait
  Deadline next_places_;
  Deadline accept_again_;
  bool exhausted_ = false;  // the last attempt to accept found no descriptor left
};

Lobby::Lobby(const LobbyOptions& options, Start start, Log log)
    : impl_(std::make_unique<Impl>(options, std::move(start), std::move(log))) {}

Lobby::~Lobby() = default;

std::uint16_t Lobby::port() const { return impl_->port(); }

int Lobby::Run(const Interrupt& interrupt) { return impl_->Run(interrupt); }

}  // namespace rdmabench
