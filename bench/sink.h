// The engine of the receiver in bandwidth tests: counts what arrives, looks into it where that is
// asked for, posts receive requests again in chains, returns credits.
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/clock.h"
#include "bench/drive.h"
#include "bench/poll.h"
#include "bench/receive_ring.h"

namespace rdmabench {

template <class Channel, class Credit, class Inspect>
class Sink {
 public:
  struct Options {
    std::span<ReceiveRing> rings;  // by wr_id
    std::vector<ibv_cq*> cqs;
    // How many messages the peer has sent, once that is known; until then more than can be.
    const std::atomic<std::uint64_t>& expected;
    const TickClock& clock;
  };

  Sink(Options options, Credit credit, Inspect inspect = {})
      : rings_(options.rings),
        cqs_(std::move(options.cqs)),
        expected_(options.expected),
        clock_(options.clock),
        credit_(std::move(credit)),
        inspect_(std::move(inspect)),
        counts_(rings_.size()) {}

  bool Step() {
    // Summed up in registers: in members, each would be a store a message.
    std::uint64_t received = 0;
    std::uint64_t bytes = 0;
    const bool ok = PollEach<Channel>(cqs_, completions_, failure_, [&](const ibv_wc& completion) {
      ++received;
      bytes += completion.byte_len;
      return Take(completion);
    });
    received_ += received;
    bytes_ += bytes;
    if (!ok) [[unlikely]]
      return false;
    Mark(received != 0);
    if (credit_.Step()) [[likely]]
      return true;
    failure_ = credit_.failure();
    return false;
  }

  // It ends when all has come that the peer has sent.
  void Finish() {}
  // The end of the last message is marked, and the last credits have arrived, too, so that none
  // comes when the next run has begun.
  bool Done() const {
    return dry_ && received_ - inspect_.repeated() >= expected_.load(std::memory_order_relaxed) &&
           credit_.idle();
  }
  std::uint64_t completed() const { return received_; }
  bool starved() const { return !credit_.idle(); }
  const Failure& failure() const { return failure_; }

  std::uint64_t bytes() const { return bytes_; }  // as completions say, with what precedes payload
  ibv_wc_opcode opcode() const { return completions_[0].opcode; }
  // From the first message on to the first poll after the last one.
  std::uint64_t first_ticks() const { return first_ticks_; }
  std::uint64_t last_ticks() const { return last_ticks_; }
  const std::vector<std::uint64_t>& counts() const { return counts_; }  // by queue
  const Inspect& inspect() const { return inspect_; }

 private:
  bool Take(const ibv_wc& completion) {
    ++counts_[completion.wr_id];
    ReceiveRing& ring = rings_[completion.wr_id];
    inspect_(completion, ring.front_addr());
    return !ring.Took() || Repost(ring, completion.qp_num);
  }

  bool Repost(ReceiveRing& ring, std::uint32_t qpn) {
    if (const int code = ring.Repost(); code != 0) [[unlikely]] {
      failure_ = {.what = Failure::What::kReceive, .code = code, .qpn = qpn};
      return false;
    }
    if (credit_.Return(ring.number(), inspect_.Settled(ring.number(), ring.returned())))
      return true;
    failure_ = credit_.failure();
    return false;
  }

  // The clock is read when the queues run dry, so not while messages come faster than they are
  // taken.
  void Mark(bool has_come) {
    if (has_come) {
      if (first_ticks_ == 0) [[unlikely]]
        first_ticks_ = clock_.Now();
      dry_ = false;
    } else if (!dry_) {
      dry_ = true;
      last_ticks_ = clock_.Now();
    }
  }

  std::span<ReceiveRing> rings_;
  std::vector<ibv_cq*> cqs_;
  const std::atomic<std::uint64_t>& expected_;
  const TickClock& clock_;
  Credit credit_;
  [[no_unique_address]] Inspect inspect_;
  CompletionBatch completions_{};
  std::vector<std::uint64_t> counts_;
  std::uint64_t received_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t first_ticks_ = 0;
  std::uint64_t last_ticks_ = 0;
  bool dry_ = true;
  Failure failure_;
};

}  // namespace rdmabench
