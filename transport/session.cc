#include "transport/session.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <ratio>

#include "transport/catalogue.h"
#include "transport/frame.h"
#include "transport/session_loop.h"
#include "transport/session_state.h"

namespace rdmabench {

class Session::Impl {
 public:
  Impl(Connection connection, const SessionOptions& options)
      : options_(options),
        state_("the " + std::string(options.peer) + " (" + connection.peer().ToString() + ")"),
        loop_(std::move(connection),
              {.heartbeat = options.heartbeat,
               .silence_limit = options.handshake_timeout,
               .interrupt = options.interrupt},
              state_) {
    if (options.cpu) loop_.Pin(*options.cpu);
  }

  const SessionOptions& options() const { return options_; }
  SessionState& state() { return state_; }
  SessionLoop& loop() { return loop_; }
  bool has_failed() const { return has_failed_; }
  void set_failed() { has_failed_ = true; }

 private:
  std::atomic<bool> has_failed_{false};
  const SessionOptions options_;
  SessionState state_;
  SessionLoop loop_;  // last: its thread uses the state
};

Session::Session(Connection connection, const SessionOptions& options)
    : impl_(std::make_unique<Impl>(std::move(connection), options)) {}

Session::~Session() = default;

void Session::Send(std::string_view kind, const nlohmann::json& body) {
  impl_->state().Queue(EncodeFrame(kind, body));
}

nlohmann::json Session::Receive(std::string_view kind, Deadline deadline,
                                std::string_view awaited) {
  return ReceiveAny({kind}, deadline, awaited).second;
}

std::pair<std::string, nlohmann::json> Session::ReceiveAny(
    std::initializer_list<std::string_view> kinds, Deadline deadline, std::string_view awaited) {
  SessionState& state = impl_->state();
  using Hundredths = std::chrono::duration<std::int64_t, std::centi>;
  const auto wait = std::chrono::round<Hundredths>(std::max(deadline, Now()) - Now());
  std::optional<std::pair<std::string, nlohmann::json>> frame = state.Next(deadline);
  if (!frame) {
    throw SessionError("late", state.peer() + " did not send " + std::string(awaited) + " within " +
                                   InSeconds(wait) + "; " + state.LastHeard());
  }
  if (std::find(kinds.begin(), kinds.end(), frame->first) != kinds.end()) return std::move(*frame);
  throw SessionError("out_of_turn", state.peer() + " sent '" + frame->first +
                                        "' while this side waited for " + std::string(awaited));
}

void Session::Fail(const Error& error) noexcept {
  impl_->set_failed();
  try {
    Error placed = error;
    placed.At(impl_->options().side, "");
    impl_->state().QueueLast(EncodeFrame("error", ErrorToJson(placed)));
  } catch (const std::exception&) {
    // The peer will see the connection close.
  }
}

bool Session::has_failed() const { return impl_->has_failed(); }

void Session::Begin(std::string_view step) { impl_->state().Begin(step); }

std::string Session::step() const { return impl_->state().activity().step; }

void Session::Count(std::uint64_t messages) { impl_->state().Count(messages); }

std::string Session::PeerLastHeard() const { return impl_->state().LastHeard(); }

const std::atomic<bool>& Session::abort_flag() const { return impl_->state().abort_flag(); }

std::optional<Error> Session::failure() const { return impl_->state().failure(); }

void Session::Abort(const Error& error) { impl_->state().Fail(error, Cause::kOwn); }

std::optional<Error> Session::own_reason() const { return impl_->state().own_reason(); }

std::optional<Error> Session::AwaitPeerReason(Deadline deadline) {
  return impl_->state().AwaitPeerReason(deadline);
}

void Session::SetWatch(Watch watch) { impl_->loop().SetWatch(std::move(watch)); }

void Session::DivertInterrupt(std::atomic<bool>* flag) { impl_->loop().DivertInterrupt(flag); }

void Session::Accepted() {
  impl_->loop().SetFrameLimit(kMaxFrame);
  impl_->loop().SetSilenceLimit(impl_->options().peer_timeout);
}

void Session::SetPeerTimeout(std::chrono::milliseconds timeout) {
  impl_->loop().SetSilenceLimit(timeout);
}

void Session::ExpectClose() { impl_->state().ExpectClose(); }

void Session::PinThread(unsigned cpu) { impl_->loop().Pin(cpu); }

const SocketAddress& Session::local() const { return impl_->loop().local(); }

const SocketAddress& Session::peer() const { return impl_->loop().peer(); }

}  // namespace rdmabench
