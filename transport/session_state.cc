#include "transport/session_state.h"

#include <sys/eventfd.h>

#include <nlohmann/json.hpp>

#include "transport/catalogue.h"
#include "transport/printable.h"

namespace rdmabench {
namespace {

constexpr std::size_t kMostOutgoingBytes = std::size_t{32} << 20;
constexpr std::size_t kMostUnread = 1024;
constexpr std::size_t kShownOfAKind = 40;
constexpr std::size_t kMostUnreadBytes = std::size_t{64} << 20;

}  // namespace

struct SessionState::Letter {
  std::string kind;
  nlohmann::json body;
  std::size_t bytes;
};

SessionState::SessionState(std::string peer)
    : peer_(std::move(peer)),
      wake_(CheckErrno(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "cannot create an event")) {}

SessionState::~SessionState() = default;

// Neither can fail in a way that matters: the counter only has to differ from zero, or to be zero.
void SessionState::Wake() const { eventfd_write(wake_.get(), 1); }

void SessionState::Rest() const {
  eventfd_t count = 0;
  eventfd_read(wake_.get(), &count);
}

void SessionState::Queue(std::string frame) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_ && failure_->cause != Cause::kOwn) throw Error(failure_->error);
    if (closed_) throw SessionError("closed", peer_ + " has closed the connection");
    if (outbox_bytes_ + frame.size() > kMostOutgoingBytes) {
      throw SessionError("clogged", peer_ + " does not take what it is sent: " +
                                        std::to_string(outbox_bytes_) + " bytes wait");
    }
    outbox_bytes_ += frame.size();
    outbox_.push_back(std::move(frame));
  }
  Wake();
}

void SessionState::QueueLast(std::string frame) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    outbox_bytes_ += frame.size();
    outbox_.push_back(std::move(frame));
  }
  Wake();
}

bool SessionState::has_outgoing() const {
  const std::lock_guard lock(mutex_);
  return !outbox_.empty();
}

std::string SessionState::TakeOutgoing() {
  const std::lock_guard lock(mutex_);
  if (outbox_.empty()) return {};
  std::string frame = std::move(outbox_.front());
  outbox_.pop_front();
  outbox_bytes_ -= frame.size();
  return frame;
}

void SessionState::Deliver(std::string kind, nlohmann::json body, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  last_kind_ = kind;
  if (mailbox_.size() >= kMostUnread || mailbox_bytes_ + bytes > kMostUnreadBytes) {
    FailLocked(SessionError("flood", peer_ + " sends faster than this side reads: " +
                                         std::to_string(mailbox_.size()) + " frames of " +
                                         std::to_string(mailbox_bytes_) + " bytes wait"),
               Cause::kLost);
    return;
  }
  mailbox_bytes_ += bytes;
  mailbox_.push_back({std::move(kind), std::move(body), bytes});
  changed_.notify_all();
}

std::optional<std::pair<std::string, nlohmann::json>> SessionState::Next(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const bool ready = changed_.wait_until(
      lock, deadline, [this] { return !mailbox_.empty() || failure_ || closed_; });
  if (!ready) return std::nullopt;
  if (mailbox_.empty()) {
    if (failure_) throw Error(failure_->error);
    throw SessionError("closed", peer_ + " has closed the connection");
  }
  Letter letter = std::move(mailbox_.front());
  mailbox_.pop_front();
  mailbox_bytes_ -= letter.bytes;
  return std::pair(std::move(letter.kind), std::move(letter.body));
}

void SessionState::Begin(std::string_view step) {
  const std::lock_guard lock(mutex_);
  activity_ = {.step = std::string(step)};
}

void SessionState::Count(std::uint64_t messages) {
  const std::lock_guard lock(mutex_);
  activity_.messages = messages;
}

Activity SessionState::activity() const {
  const std::lock_guard lock(mutex_);
  return activity_;
}

void SessionState::Heard() {
  const std::lock_guard lock(mutex_);
  heard_at_ = Now();
}

void SessionState::Heard(Activity peer) {
  const std::lock_guard lock(mutex_);
  peer_activity_ = std::move(peer);
}

std::string SessionState::LastHeard() const {
  const std::lock_guard lock(mutex_);
  if (!heard_at_) return "nothing was heard of it before";
  std::string words = "it was " + rdmabench::LastHeard(Now() - *heard_at_, peer_activity_);
  if (peer_activity_.step.empty() && !last_kind_.empty()) {
    words += ", after it sent '" + Printable(last_kind_, kShownOfAKind) + "'";
  }
  return words;
}

void SessionState::FailLocked(const Error& error, Cause cause) {
  if (cause == Cause::kOwn && !own_reason_) own_reason_ = error;
  if (cause == Cause::kPeerError && !peer_reason_) {
    peer_reason_ = error;
    changed_.notify_all();
  }
  if (failure_) return;
  failure_ = Failure{error, cause};
  abort_.store(true);
  changed_.notify_all();
}

void SessionState::Fail(const Error& error, Cause cause) {
  const std::lock_guard lock(mutex_);
  FailLocked(error, cause);
}

void SessionState::Close(const Error& reason) {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (!close_expected_) FailLocked(reason, Cause::kClosed);
  changed_.notify_all();
}

void SessionState::ExpectClose() {
  const std::lock_guard lock(mutex_);
  close_expected_ = true;
  // The peer's last frame and its FIN come together; the owner reads the one when the other is
  // already known.
  if (!failure_ || failure_->cause != Cause::kClosed) return;
  failure_.reset();
  abort_.store(false);
}

std::optional<Error> SessionState::own_reason() const {
  const std::lock_guard lock(mutex_);
  return own_reason_;
}

std::optional<Error> SessionState::AwaitPeerReason(Deadline deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] {
    return peer_reason_ || closed_ || (failure_ && failure_->cause != Cause::kOwn);
  });
  return peer_reason_;
}

std::optional<Error> SessionState::failure() const {
  const std::lock_guard lock(mutex_);
  if (!failure_) return std::nullopt;
  return failure_->error;
}

bool SessionState::lost() const {
  const std::lock_guard lock(mutex_);
  return failure_ && failure_->cause != Cause::kOwn;
}

}  // namespace rdmabench
