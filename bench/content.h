// The content of verified messages: made before a message leaves, checked when it has come.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/audit.h"
#include "bench/job.h"
#include "bench/test.h"

namespace rdmabench {

// Whether messages are checked between laps, because the next ones would overwrite them where they
// lie. Else each is checked in the loop.
bool IsCheckedInLaps(const Test& test);

// Every fourth COMPARE AND SWAP of a queue pair compares with what is not there, and has to leave
// it. How many of the first `messages` change the word, each by one.
std::uint64_t Changes(const Op& op, std::uint64_t messages);
// Puts its values into a request that finds the word to be `before`.
void PutAtomicValues(const Op& op, std::uint64_t message, std::uint64_t before,
                     ibv_send_wr& request);

// Which message of the pattern one has to be. Where some get lost, a short one could not be told
// from its neighbours, and all are alike.
class Numbers {
 public:
  Numbers(const QpType& type, std::size_t content_bytes)
      : numbered_(!type.loses || content_bytes >= Pattern::kWordBytes), finds_(type.loses) {}

  std::uint64_t ContentOf(std::uint64_t message) const { return numbered_ ? message : 0; }
  // The number of one that has come, where `next` is the least that is expected.
  std::uint64_t MessageOf(const Pattern& pattern, std::span<const std::byte> found,
                          std::uint64_t next) const;

 private:
  bool numbered_;
  bool finds_;
};

// A worker's memory, and which of the side's queue pairs it has.
struct WorkerMemory {
  const Endpoint& endpoint;
  std::uint32_t first_queue_pair = 0;
};

// What is exposed before the peer's first message comes, where messages are checked in the loop.
void PrepareTarget(const WorkerMemory& worker, const Job& job);
// What atomic operations have left there. `messages`: of each queue pair of the side.
void CheckTarget(const WorkerMemory& worker, const Job& job,
                 const std::vector<std::uint64_t>& messages, Audit& audit);

// Messages that arrive, looked at before anything else is written where they lie.
class ArrivedContent {
 public:
  ArrivedContent(const Job& job, std::uint32_t first_queue_pair, std::uint32_t queue_pairs);

  // A message has come on queue pair `index` of the worker.
  void Look(std::uint32_t index, std::span<std::byte> found);
  // The same, and the completion says of how many bytes.
  void Look(std::uint32_t index, std::span<std::byte> found, std::size_t told_bytes);
  const Pattern& pattern(std::uint32_t index) const { return lanes_[index].pattern; }
  const Audit& audit() const { return audit_; }

 private:
  struct Lane {
    Pattern pattern;
    std::uint64_t next = 0;
  };

  Numbers numbers_;
  std::uint32_t first_queue_pair_;
  std::vector<Lane> lanes_;
  Audit audit_;
};

// Of a latency test.
class RoundTripContent {
 public:
  RoundTripContent(const Bench& bench, const Job& job);

  void Leaves(std::uint32_t index, ibv_send_wr& request);
  void Completes(std::uint32_t index);
  void Arrives(std::uint32_t index);
  Audit audit() const;

 private:
  struct Lane {
    Pattern pattern;
    std::span<std::byte> own;
    std::uint64_t sent = 0;
    std::uint64_t completed = 0;
  };

  std::span<std::byte> Incoming(std::uint32_t index) const;

  const Bench& bench_;
  const Job& job_;
  SlotLayout layout_;
  Numbers numbers_;
  std::vector<Lane> lanes_;
  ArrivedContent arrived_;
  Audit pulled_;
};

// What the lanes and the answer of an engine share.
class SharedContent {
 public:
  explicit SharedContent(RoundTripContent& content) : content_(&content) {}
  void Leaves(std::uint32_t lane, ibv_send_wr& request) { content_->Leaves(lane, request); }
  void Completes(std::uint32_t lane) { content_->Completes(lane); }
  void Arrives(std::uint32_t lane) { content_->Arrives(lane); }

 private:
  RoundTripContent* content_;
};

// An answer whose messages are looked at before anybody learns that they are there.
template <class Answer>
class Verified : public Answer {
 public:
  Verified(Answer answer, SharedContent content) : Answer(std::move(answer)), content_(content) {}

  template <class Channel, class Take>
  bool Collect(Failure& failure, const Take& take) {
    return Answer::template Collect<Channel>(failure, [&](std::uint32_t lane, std::uint8_t mark) {
      content_.Arrives(lane);
      return take(lane, mark);
    });
  }

 private:
  SharedContent content_;
};

}  // namespace rdmabench
