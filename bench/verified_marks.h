// What a verified bandwidth test puts into its messages, and what it looks for in them: Stamp and
// Inspect policies.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/content.h"
#include "bench/job.h"
#include "bench/sequence.h"

namespace rdmabench {

// Of a worker's queue pairs.
std::vector<Pattern> PatternsOf(Role initiator, const Bench& bench, const Job& job);

// The payload of SENDs, before what another policy puts beside it.
template <class Other>
class ContentStamp : public Other {
 public:
  ContentStamp(Other other, const Bench& bench, const Job& job)
      : Other(std::move(other)),
        own_(OwnMemory(bench.endpoint)),
        numbers_(*job.type, job.shape.message_bytes),
        patterns_(PatternsOf(job.verifying->role, bench, job)) {}

  void operator()(std::uint32_t lane, ibv_send_wr* chain, std::uint64_t message) const {
    std::uint64_t number = message;
    for (ibv_send_wr* request = chain; request != nullptr; request = request->next, ++number) {
      patterns_[lane].Fill(numbers_.ContentOf(number),
                           {own_.At(request->sg_list->addr), request->sg_list->length});
    }
    Other::operator()(lane, chain, message);
  }

 private:
  MappedMemory own_;
  Numbers numbers_;
  std::vector<Pattern> patterns_;  // by lane
};

// How far the number of a message is above the one that is expected, by its content. Of one that is
// not what was sent it is no number that can be.
class ByContent {
 public:
  ByContent(const Bench& bench, const Job& job);

  std::int64_t operator()(const ibv_wc& completion, std::uint64_t slot,
                          std::uint64_t expected) const {
    const std::uint64_t message =
        patterns_[completion.wr_id].MessageOf(LoadWord(slots_.At(slot) + headroom_));
    return static_cast<std::int64_t>(first_number_ + message - expected);
  }

 private:
  MappedMemory slots_;
  std::uint32_t headroom_;
  std::uint64_t first_number_;
  std::vector<Pattern> patterns_;  // by lane
};

// The values of atomic operations, of which each finds a word of its own in a lap.
class AtomicStamp {
 public:
  AtomicStamp(const Bench& bench, const Job& job);

  void operator()(std::uint32_t lane, ibv_send_wr* chain, std::uint64_t message) const {
    message += first_messages_[lane];
    for (; chain != nullptr; chain = chain->next, ++message) {
      PutAtomicValues(op_, message, patterns_[lane].Word(message, 0), *chain);
    }
  }

 private:
  const Op& op_;
  std::vector<std::uint64_t> first_messages_;
  std::vector<Pattern> patterns_;  // by lane
};

// What arrives in receive requests, after what another policy looks for in it. A queue is one queue
// pair's, whether it is a shared one or not.
template <class Other>
class VerifiedArrivals : public Other {
 public:
  VerifiedArrivals(Other other, const Bench& bench, const Job& job)
      : Other(std::move(other)),
        slots_(ExposedMemory(bench.endpoint)),
        headroom_(job.type->recv_headroom),
        message_bytes_(job.shape.message_bytes),
        content_(job, bench.first_queue_pair, QueuePairsIn(bench.endpoint)) {}

  void operator()(const ibv_wc& completion, std::uint64_t slot_addr) {
    Other::operator()(completion, slot_addr);
    content_.Look(static_cast<std::uint32_t>(completion.wr_id),
                  {slots_.At(slot_addr) + headroom_, message_bytes_},
                  std::size_t{completion.byte_len} - headroom_);
  }
  const Audit& audit() const { return content_.audit(); }

 private:
  MappedMemory slots_;
  std::uint32_t headroom_;
  std::size_t message_bytes_;
  ArrivedContent content_;
};

}  // namespace rdmabench
