#include "bench/monitor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "transport/catalogue.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostSamples = 8192;

std::uint64_t Sum(const Monitor::Counts& counts) {
  std::uint64_t messages = 0;
  for (const auto* count : counts) messages += count->load(std::memory_order_relaxed);
  return messages;
}

}  // namespace

Monitor::Monitor(Session& session, const TickClock& clock, Counts completed, Counts counted,
                 std::atomic<bool>& finish, const Options& options)
    : session_(session),
      clock_(clock),
      completed_(std::move(completed)),
      counted_(std::move(counted)),
      finish_(finish),
      options_(options),
      sample_every_(options.sample_every) {}

void Monitor::Start() {
  const Deadline now = Now();
  if (options_.duration) finish_at_ = now + *options_.duration;
  next_sample_ = moved_at_ = reported_at_ = now;
  next_progress_ = now + options_.progress_every;
  reported_ = {.ticks = clock_.Now()};
  if (options_.ends_by_interrupt) session_.DivertInterrupt(&finish_);
  session_.SetWatch([this](Deadline at) { return Watch(at); });
}

Monitor::~Monitor() { Leave(); }

void Monitor::Leave() {
  session_.SetWatch({});
  if (options_.ends_by_interrupt) session_.DivertInterrupt(nullptr);
}

std::vector<Sample> Monitor::Stop() {
  Leave();
  return std::move(samples_);
}

void Monitor::Record(const Sample& sample) {
  samples_.push_back(sample);
  if (samples_.size() < kMostSamples) return;
  // Every other one goes, and sampling slows down with the length of the run.
  for (std::size_t i = 0; i < samples_.size() / 2; ++i) samples_[i] = samples_[2 * i + 1];
  samples_.resize(samples_.size() / 2);
  sample_every_ *= 2;
}

void Monitor::Judge() {
  if (!options_.enough || !options_.enough(samples_)) return;
  finish_.store(true, std::memory_order_relaxed);
  options_.enough = {};
}

Deadline Monitor::Watch(Deadline now) {
  const Sample sample{clock_.Now(), Sum(completed_), Sum(counted_)};
  session_.Count(sample.messages);
  if (sample.messages != seen_) {
    seen_ = sample.messages;
    moved_at_ = now;
    moved_ticks_ = sample.ticks;
  }
  if (now - moved_at_ >= options_.stall_timeout) {
    session_.Abort(SessionError(
        "stalled", "stalled: no completion for " + InSeconds(options_.stall_timeout) + " after " +
                       std::to_string(seen_) +
                       " messages, while the peer is alive: " + session_.PeerLastHeard()));
    moved_at_ = now;
  }
  if (now >= next_sample_) {
    Record(sample);
    next_sample_ = now + sample_every_;
    Judge();
  }
  if (options_.progress && now >= next_progress_) {
    const double seconds = std::chrono::duration<double>(now - reported_at_).count();
    options_.progress(sample, static_cast<double>(sample.messages - reported_.messages) / seconds);
    reported_ = sample;
    reported_at_ = now;
    next_progress_ = now + options_.progress_every;
  }
  Deadline next = std::min(next_sample_, moved_at_ + options_.stall_timeout);
  if (options_.progress) next = std::min(next, next_progress_);
  if (finish_at_) {
    if (now >= *finish_at_) {
      finish_.store(true, std::memory_order_relaxed);
      finish_at_.reset();
    } else {
      next = std::min(next, *finish_at_);
    }
  }
  return next;
}

}  // namespace rdmabench
