// The Wait policy that sleeps on an endpoint's completion channel instead of polling.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/endpoint.h"

namespace rdmabench {

// Arms, lets the driver poll once more, and only then sleeps: a completion that came before the
// queues were armed is found by that poll, a later one wakes. Sleeps are short, so that flags which
// make no event are noticed.
class EventWait {
 public:
  explicit EventWait(const Endpoint& endpoint);

  void operator()(std::uint64_t completed, bool starved) {
    if (completed != seen_) {
      seen_ = completed;
      armed_ = false;
    } else if (!armed_) {
      Arm();
    } else {
      Sleep(starved);
    }
  }

 private:
  void Arm();
  void Sleep(bool starved);

  ibv_comp_channel* channel_;
  std::vector<ibv_cq*> cqs_;
  std::uint64_t seen_ = 0;
  bool armed_ = false;
};

}  // namespace rdmabench
