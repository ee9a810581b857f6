// Sequence numbers of messages on queue pairs that lose some: the sender puts them in, the receiver
// reads them, and each queue pair's tracker tells which came twice, or after later ones.
#pragma once

#include <endian.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/word.h"
#include "report/report.h"

namespace rdmabench {

// Where the number stands: in the immediate, the lower half of it, or in the first bytes of the
// payload.
enum class Numbering { kNone, kImmediate, kPayload };

inline constexpr std::uint32_t kNumberBytes = sizeof(std::uint64_t);

// Of one queue pair. Remembers of the last kWindow numbers which have come.
class SequenceTracker {
 public:
  static constexpr std::uint64_t kWindow = 4096;

  explicit SequenceTracker(std::uint64_t first) : first_(first), next_(first) {
    // What precedes the first is none that is still to come.
    seen_.fill(~std::uint64_t{0});
  }

  // The number above the highest that has come.
  std::uint64_t next() const { return next_; }
  // A message has come whose number is `ahead` above next(). False: it had come before.
  bool Note(std::int64_t ahead) {
    if (ahead != 0) [[unlikely]]
      return NoteUnexpected(ahead);
    See(next_++);
    return true;
  }
  const report::Arrivals& arrivals() const { return arrivals_; }
  // Messages of the peer's up to the highest that has come.
  std::uint64_t passed() const { return next_ - first_; }
  // Of the last 64 of these, how many have not come, and may only have been overtaken.
  std::uint64_t Overtaken() const;

 private:
  static constexpr std::uint64_t kBits = 64;

  std::uint64_t& Word(std::uint64_t number) { return seen_[number / kBits % seen_.size()]; }
  static std::uint64_t Bit(std::uint64_t number) { return std::uint64_t{1} << number % kBits; }
  void See(std::uint64_t number) { Word(number) |= Bit(number); }
  bool NoteUnexpected(std::int64_t ahead);
  void Skip(std::uint64_t numbers);

  std::uint64_t first_;
  std::uint64_t next_;
  std::array<std::uint64_t, kWindow / kBits> seen_{};  // a bit for each number, modulo the window
  report::Arrivals arrivals_;
};

// Stamps. `first`: the number of a run's first message, the same on both sides.
class ImmediateSequence {
 public:
  explicit ImmediateSequence(std::uint64_t first) : first_(first) {}
  void operator()(std::uint32_t /*lane*/, ibv_send_wr* chain, std::uint64_t message) const {
    auto number = static_cast<std::uint32_t>(first_ + message);
    for (; chain != nullptr; chain = chain->next) chain->imm_data = htobe32(number++);
  }

 private:
  std::uint64_t first_;
};

// Memory whose addresses in requests are not pointers.
struct MappedMemory {
  std::byte* data = nullptr;
  std::uint64_t addr = 0;
  std::byte* At(std::uint64_t at) const { return data + (at - addr); }
};

class PayloadSequence {
 public:
  // `own`: what the requests name; a slot each.
  PayloadSequence(std::uint64_t first, const MappedMemory& own) : first_(first), own_(own) {}
  void operator()(std::uint32_t /*lane*/, ibv_send_wr* chain, std::uint64_t message) const {
    std::uint64_t number = first_ + message;
    for (; chain != nullptr; chain = chain->next, ++number) {
      StoreWord(own_.At(chain->sg_list->addr), number);
    }
  }

 private:
  std::uint64_t first_;
  MappedMemory own_;
};

// How far the number of a message is above the one that is expected.
struct ByImmediate {
  // The upper half is that of the nearest such number.
  std::int64_t operator()(const ibv_wc& completion, std::uint64_t /*slot*/,
                          std::uint64_t expected) const {
    return static_cast<std::int32_t>(be32toh(completion.imm_data) -
                                     static_cast<std::uint32_t>(expected));
  }
};

struct ByPayload {
  MappedMemory slots;
  std::uint32_t headroom = 0;  // of the queue pair type

  std::int64_t operator()(const ibv_wc& /*completion*/, std::uint64_t slot,
                          std::uint64_t expected) const {
    return static_cast<std::int64_t>(LoadWord(slots.At(slot) + headroom) - expected);
  }
};

// Which queue pair a message came on.
struct OwnQueue {
  static constexpr bool kShared = false;
  std::size_t operator()(const ibv_wc& completion) const { return completion.wr_id; }
};

class SharedQueue {
 public:
  static constexpr bool kShared = true;
  // The numbers of the queue pairs, in order of the lanes.
  explicit SharedQueue(const std::vector<std::uint32_t>& numbers);
  std::size_t operator()(const ibv_wc& completion) const {
    // Only these queue pairs take from the queue.
    const auto found = std::lower_bound(
        lanes_.begin(), lanes_.end(), std::pair<std::uint32_t, std::size_t>(completion.qp_num, 0));
    return found->second;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::size_t>> lanes_;  // by queue pair number
};

// One of the Inspect policies.
template <class Number, class Lane>
class Sequences {
 public:
  struct Options {
    std::uint64_t first = 0;  // the number of each queue pair's first message
    std::size_t lanes = 1;
    // Of a queue: for so many messages at most that may only have been overtaken requests are kept.
    std::uint64_t most_overtaken = 0;
  };

  Sequences(const Options& options, Number number, Lane lane)
      : trackers_(options.lanes, SequenceTracker(options.first)),
        most_overtaken_(options.most_overtaken),
        number_(std::move(number)),
        lane_(std::move(lane)) {}

  void operator()(const ibv_wc& completion, std::uint64_t slot_addr) {
    SequenceTracker& tracker = trackers_[lane_(completion)];
    if (!tracker.Note(number_(completion, slot_addr, tracker.next()))) [[unlikely]]
      ++repeated_;
  }
  std::uint64_t repeated() const { return repeated_; }
  std::uint64_t Settled(std::uint32_t queue, std::uint64_t /*returned*/) const {
    std::uint64_t passed = 0;
    std::uint64_t overtaken = 0;
    const std::size_t first = Lane::kShared ? 0 : queue;
    const std::size_t end = Lane::kShared ? trackers_.size() : first + 1;
    for (std::size_t lane = first; lane < end; ++lane) {
      passed += trackers_[lane].passed();
      overtaken += trackers_[lane].Overtaken();
    }
    return passed - std::min(overtaken, most_overtaken_);
  }
  report::Arrivals Sum() const {
    report::Arrivals sum;
    for (const SequenceTracker& tracker : trackers_) sum += tracker.arrivals();
    return sum;
  }

 private:
  std::vector<SequenceTracker> trackers_;
  std::uint64_t most_overtaken_;
  std::uint64_t repeated_ = 0;
  Number number_;
  Lane lane_;
};

}  // namespace rdmabench
