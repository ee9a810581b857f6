#include "transport/session_loop.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/activity.h"
#include "transport/catalogue.h"
#include "transport/error.h"
#include "transport/peer_error.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kClosingTime{1000};
// A lost peer's process may only be stopped; but its run has to end within two seconds of its last
// sign of life.
constexpr milliseconds kClosingTimeWhenLost{200};
// The scheduler's everyday delays do not count as this thread's being late.
constexpr milliseconds kOrdinaryLateness{20};
constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
// After so many reads in a row the thread looks at its other duties.
constexpr int kReadsPerTurn = 16;

}  // namespace

SessionLoop::SessionLoop(Connection connection, const LoopOptions& options, SessionState& state)
    : local_(connection.local()),
      peer_(connection.peer()),
      options_(options),
      state_(state),
      wanted_silence_limit_(options.silence_limit),
      connection_(std::move(connection)),
      silence_limit_(options.silence_limit),
      heard_at_(Now()),
      next_beat_(Now() + options.heartbeat),
      thread_([this] { Run(); }) {}

SessionLoop::~SessionLoop() {
  stopping_.store(true);
  state_.Wake();
  thread_.join();
}

void SessionLoop::SetWatch(Watch watch) {
  {
    const std::lock_guard lock(watch_mutex_);
    watch_ = std::move(watch);
    watch_next_ = Deadline();
  }
  state_.Wake();
}

void SessionLoop::SetSilenceLimit(milliseconds limit) {
  wanted_silence_limit_.store(limit);
  state_.Wake();
}

void SessionLoop::SetFrameLimit(std::size_t bytes) { frame_limit_.store(bytes); }

void SessionLoop::Pin(unsigned cpu) {
  const std::string attempted = "cannot pin the session's thread to core " + std::to_string(cpu);
  if (cpu >= CPU_SETSIZE) throw Error(Blame::kEnvironment, attempted + ": no such core");
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  Check(pthread_setaffinity_np(thread_.native_handle(), sizeof(set), &set), attempted,
        "choose cores that exist and that this process may use ('taskset -cp $$' lists them)");
}

void SessionLoop::Run() {
  try {
    while (!stopping_.load()) Turn();
    CloseGracefully();
  } catch (const Error& error) {
    state_.Fail(error, Cause::kLost);
  } catch (const std::exception& error) {
    state_.Fail(Error(Blame::kRun, std::string("the session's thread failed: ") + error.what()),
                Cause::kLost);
  }
}

void SessionLoop::Turn() {
  ApplySettings();
  Deadline planned = RunWatch();
  if (writing_) planned = std::min(planned, next_beat_);
  if (reading_ && !state_.lost()) planned = std::min(planned, heard_at_ + silence_limit_);
  Wait(planned);
  JudgeSilence();
  Beat();
  Send();
}

void SessionLoop::ApplySettings() {
  decoder_.set_limit(frame_limit_.load());
  const milliseconds wanted = wanted_silence_limit_.load();
  if (wanted == silence_limit_) return;
  silence_limit_ = wanted;
  heard_at_ = Now();
}

Deadline SessionLoop::RunWatch() {
  const std::lock_guard lock(watch_mutex_);
  if (!watch_) return Deadline::max();
  const Deadline now = Now();
  if (now < watch_next_) return watch_next_;
  try {
    watch_next_ = watch_(now);
  } catch (const Error& error) {
    state_.Fail(error, Cause::kOwn);
    watch_ = nullptr;
    return Deadline::max();
  }
  return watch_next_;
}

void SessionLoop::Wait(Deadline planned) {
  const Interrupt* interrupt = interrupted_ ? nullptr : options_.interrupt;
  const std::array<int, 3> readable = {reading_ ? connection_.fd() : -1, state_.wake_fd(),
                                       interrupt == nullptr ? -1 : interrupt->fd()};
  const std::array<int, 1> writable = {has_unsent() ? connection_.fd() : -1};
  const std::vector<bool> ready = WaitReady(readable, writable, planned);
  // While this thread slept or was kept from running, the peer's bytes could not be seen.
  const Deadline now = Now();
  if (now - planned > kOrdinaryLateness) heard_at_ += now - planned;
  if (ready[1]) state_.Rest();
  if (ready[2]) TakeInterrupt();
  if (ready[0]) Receive();
}

void SessionLoop::TakeInterrupt() {
  interrupted_ = true;
  const std::lock_guard lock(watch_mutex_);
  if (interrupt_flag_ != nullptr) {
    interrupt_flag_->store(true, std::memory_order_relaxed);
  } else {
    state_.Fail(Interruption(), Cause::kOwn);
  }
}

void SessionLoop::DivertInterrupt(std::atomic<bool>* flag) {
  const std::lock_guard lock(watch_mutex_);
  interrupt_flag_ = flag;
}

void SessionLoop::Receive(const Error* broken) {
  std::vector<char> buffer(kReadBytes);
  try {
    for (int i = 0; i < kReadsPerTurn; ++i) {
      const std::size_t count = connection_.Read(buffer);
      if (count == 0) break;
      heard_at_ = Now();
      state_.Heard();
      if (!state_.lost()) Digest({buffer.data(), count});
    }
  } catch (const Error& error) {
    EndReading(&error);
    return;
  }
  // Where a reset was told when sending, there is but an end to be read.
  if (connection_.closed()) EndReading(broken);
}

void SessionLoop::Digest(std::string_view bytes) {
  try {
    while (!bytes.empty() && !state_.lost()) {
      const std::size_t count = std::min(bytes.size(), decoder_.wanted());
      const std::optional<std::string> frame = decoder_.Feed(bytes.substr(0, count));
      bytes.remove_prefix(count);
      if (frame) Handle(*frame);
    }
  } catch (const Error& error) {
    const std::string message = state_.peer() + " sent what is no frame: " + error.what();
    state_.Fail(SessionError("no_frame", message).AdviseFirst(error.remedy()), Cause::kLost);
  }
}

void SessionLoop::Handle(const std::string& frame) {
  const bool is_accepted = frame_limit_.load() > kMaxFrameBeforeAcceptance;
  auto [kind, body] =
      ParseFrame(frame, is_accepted ? kMostJsonValues : kMostValuesBeforeAcceptance);
  if (kind == "heartbeat") {
    state_.Heard(ActivityFromJson(body));
    return;
  }
  if (kind == "error") {
    state_.Fail(ErrorFromPeer(body), Cause::kPeerError);
    return;
  }
  state_.Deliver(std::move(kind), std::move(body), frame.size());
}

// The peer answers neither now nor later, so this side closes its half at once, too.
void SessionLoop::EndReading(const Error* broken) {
  reading_ = false;
  const bool between_frames = decoder_.empty();
  std::string message = state_.peer() + " closed the connection";
  if (!between_frames) {
    message += " in the middle of a frame";
  }
  if (broken != nullptr) message += std::string(": ") + broken->what();
  message += "; " + state_.LastHeard();
  const Error ended = SessionError(broken != nullptr ? broken->entry() : "closed", message);
  if (!between_frames) state_.Fail(ended, Cause::kLost);
  state_.Close(ended);
  Send();
  writing_ = false;
  connection_.FinishWriting();
}

void SessionLoop::JudgeSilence() {
  if (!reading_ || Now() < heard_at_ + silence_limit_) return;
  state_.Fail(SessionError("silent", state_.peer() + " has been silent for " +
                                         InSeconds(silence_limit_) + "; " + state_.LastHeard()),
              Cause::kLost);
}

void SessionLoop::Beat() {
  if (!writing_ || Now() < next_beat_) return;
  next_beat_ = Now() + options_.heartbeat;
  // Bytes that wait to be sent are as good a sign of life, once the peer takes them.
  if (has_unsent()) return;
  sending_ = EncodeFrame("heartbeat", ActivityToJson(state_.activity()));
  sent_ = 0;
}

bool SessionLoop::has_unsent() const {
  return writing_ && (sent_ < sending_.size() || state_.has_outgoing());
}

void SessionLoop::Send() {
  try {
    while (has_unsent()) {
      if (sent_ == sending_.size()) {
        sending_ = state_.TakeOutgoing();
        sent_ = 0;
      }
      const std::size_t count = connection_.Write(std::span<const char>(sending_).subspan(sent_));
      if (count == 0) return;
      sent_ += count;
    }
  } catch (const Error& error) {
    // What the peer said before the connection broke can still be read.
    writing_ = false;
    if (reading_) Receive(&error);
    if (reading_) EndReading(&error);
  }
}

void SessionLoop::CloseGracefully() {
  const Deadline deadline = In(state_.lost() ? kClosingTimeWhenLost : kClosingTime);
  const std::array<int, 1> fd = {connection_.fd()};
  const std::array<int, 1> nothing = {-1};
  bool finished = !writing_;
  // Closing with unread bytes would send a reset, which may overtake our last frame. So read until
  // the peer closes.
  while (reading_ && Now() < deadline) {
    Send();
    if (!finished && !has_unsent()) {
      connection_.FinishWriting();
      writing_ = false;
      finished = true;
    }
    if (!reading_) break;
    const std::vector<bool> ready = WaitReady(fd, has_unsent() ? fd : nothing, deadline);
    if (ready[0]) Receive();
  }
}

}  // namespace rdmabench
