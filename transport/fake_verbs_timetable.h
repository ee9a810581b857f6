// Inside of fake_verbs: what is on its way in simulated time. Only the fake's own files include it.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "transport/fake_verbs_time.h"

namespace rdmabench::fake {

struct FakeCq;
struct FakeQp;

class RequestCopy;

// One thread uses it.
class Timetable {
 public:
  Timetable();
  ~Timetable();
  Timetable(const Timetable&) = delete;
  Timetable& operator=(const Timetable&) = delete;

  void Start(const Timing& timing);
  void Stop();

  using Arrive = std::function<void(const ibv_send_wr& request)>;

  // When its time has come `arrive` gets a copy of the request, with inline data as they are now.
  void Add(FakeQp& qp, const ibv_send_wr& request, Arrive arrive);
  void Forget(const FakeQp& qp);
  // Polls, and moves the time on when there is nothing else to do.
  int Poll(FakeCq& cq, int most, ibv_wc* into);

 private:
  struct Flight {
    const FakeQp* qp = nullptr;
    std::unique_ptr<const RequestCopy> request;
    Arrive arrive;
  };

  void MoveOn();
  void Land();  // all that has arrived by now

  Timing timing_;
  std::uint64_t messages_ = 0;
  std::uint64_t events_ = 1;                      // posts, completions taken, moves of the time
  std::multimap<std::uint64_t, Flight> flights_;  // by the time of their arrival
};

}  // namespace rdmabench::fake
