// Credits: how many receive requests the receiver has posted again. It writes the count into the
// sender's memory over a queue pair of its own, so that a sender never outruns its receiver.
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "bench/clock.h"
#include "bench/drive.h"
#include "bench/poll.h"
#include "transport/endpoint.h"

namespace rdmabench {

// Bytes of an endpoint's own and exposed memory that carry the counts of so many queues.
inline constexpr std::size_t CreditBytes(std::uint32_t queues) {
  return std::size_t{queues} * sizeof(std::uint64_t);
}

// The receiver's side. A count that is on its way is not overtaken: the next follows when it has
// arrived, and carries all that came meanwhile.
class CreditReturn {
 public:
  // `control`: an rc endpoint of one queue pair, CreditBytes() of own and of exposed memory, and a
  // send depth of `queues`.
  CreditReturn(const Endpoint& control, std::uint32_t queues);
  CreditReturn(CreditReturn&&) = default;
  CreditReturn& operator=(CreditReturn&&) = delete;

  // Queue `queue` has posted `count` requests again since Restart(). False: failed.
  bool Return(std::uint32_t queue, std::uint64_t count);
  // Takes what has arrived. False: failed.
  bool Step() { return in_flight_ == 0 || Reap(); }
  bool idle() const { return in_flight_ == 0; }
  const Failure& failure() const { return failure_; }
  // Counts from zero again; nothing may be on its way.
  void Restart();

 private:
  struct Queue {
    bool is_on_its_way = false;
    bool has_more = false;
  };

  bool Reap();
  bool Post(std::uint32_t queue);

  const Endpoint& control_;
  std::uint64_t* counts_;  // what the requests read
  std::vector<ibv_cq*> cqs_;
  CompletionBatch batch_{};
  std::vector<Queue> queues_;
  std::vector<ibv_sge> pieces_;
  std::vector<ibv_send_wr> requests_;  // one a queue; points into pieces_
  std::uint32_t in_flight_ = 0;
  Failure failure_;
};

// The sender's side, one of the Pace policies: a queue pair may have as many messages more than the
// count of its queue as that queue is deep.
class Credits {
 public:
  struct Options {
    std::uint32_t depth = 0;      // of a receive queue
    std::uint32_t post_list = 1;  // messages a post
    std::uint32_t chain = 1;      // receive requests that are posted again at once
    bool is_shared = false;       // all queue pairs send into one queue
    // Where messages get lost their credits never come: after so long without any, all that was
    // sent counts as gone. 0: never.
    std::uint64_t patience_ticks = 0;
    bool counts_lost = false;  // the receiver knows of lost messages when later ones come
  };

  Credits(const Endpoint& control, std::uint32_t queues, const Options& options,
          const TickClock& clock);
  // Counts from zero again. The peer must not have begun.
  static void Restart(const Endpoint& control, std::uint32_t queues);

  bool MayPost(std::uint32_t lane, std::uint64_t /*posted*/) {
    Queue& queue = queues_[options_.is_shared ? 0 : lane];
    if (queue.sent + options_.post_list > queue.allowed && !Renew(queue)) [[unlikely]]
      return false;
    queue.sent += options_.post_list;
    return true;
  }

 private:
  struct Queue {
    std::uint64_t* count = nullptr;  // written by the peer's device
    std::uint64_t sent = 0;
    std::uint64_t allowed = 0;   // by the count when it was last read
    std::uint64_t forgiven = 0;  // on top of the count; where it has lost ones, too, instead of it
    std::uint64_t seen = 0;
    std::uint64_t since_ticks = 0;  // how long nothing has come; 0: something did
  };

  bool Renew(Queue& queue);
  std::uint64_t Settled(const Queue& queue, std::uint64_t count) const;
  void Forgive(Queue& queue, std::uint64_t count);

  Options options_;
  const TickClock* clock_;
  std::vector<Queue> queues_;
};

}  // namespace rdmabench
