#include "transport/fake_verbs_time.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "transport/fake_verbs_objects.h"

namespace rdmabench::fake {

// What a request names stays where it is; the request itself, its list and inline data may not.
class RequestCopy {
 public:
  explicit RequestCopy(const ibv_send_wr& request)
      : request_(request), pieces_(request.sg_list, request.sg_list + request.num_sge) {
    request_.sg_list = pieces_.data();
    if ((request.send_flags & IBV_SEND_INLINE) == 0) return;
    inline_.reserve(bytes());
    for (ibv_sge& piece : pieces_) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): verbs carry addresses as integers.
      const auto* const from = reinterpret_cast<const std::byte*>(piece.addr);
      piece.addr = reinterpret_cast<std::uintptr_t>(inline_.data() + inline_.size());
      inline_.insert(inline_.end(), from, from + piece.length);
    }
  }
  RequestCopy(const RequestCopy&) = delete;
  RequestCopy& operator=(const RequestCopy&) = delete;

  const ibv_send_wr& request() const { return request_; }
  std::uint64_t bytes() const {
    std::uint64_t total = 0;
    for (const ibv_sge& piece : pieces_) total += piece.length;
    return total;
  }

 private:
  ibv_send_wr request_;
  std::vector<ibv_sge> pieces_;
  std::vector<std::byte> inline_;
};

Timetable::Timetable() = default;
Timetable::~Timetable() = default;

void Simulate(const Timing& timing) {
  World& world = TheWorld();
  world.timetable.Start(timing);
  world.timed = true;
}

void Timetable::Start(const Timing& timing) {
  assert(timing.now_ns != nullptr && timing.service && timing.longest_step_ns > 0);
  assert(flights_.empty());
  timing_ = timing;
  messages_ = 0;
}

void Timetable::Stop() {
  flights_.clear();
  timing_ = {};
}

void Timetable::Add(FakeQp& qp, const ibv_send_wr& request, Arrive arrive) {
  auto copy = std::make_unique<const RequestCopy>(request);
  const Service service = timing_.service(messages_++, copy->bytes());
  std::uint64_t& wire_free_ns = static_cast<FakeContext*>(qp.context)->wire_free_ns;
  wire_free_ns = std::max(wire_free_ns, timing_.now_ns->load()) + service.wire_ns;
  qp.arrives_ns = std::max(qp.arrives_ns, wire_free_ns + service.flight_ns);
  flights_.emplace(qp.arrives_ns,
                   Flight{.qp = &qp, .request = std::move(copy), .arrive = std::move(arrive)});
  ++events_;
}

void Timetable::Forget(const FakeQp& qp) {
  std::erase_if(flights_, [&qp](const auto& flight) { return flight.second.qp == &qp; });
}

int Timetable::Poll(FakeCq& cq, int most, ibv_wc* into) {
  Land();
  // Twice empty with nothing between: everybody has had a turn, and found nothing to do.
  if (cq.count == 0 && std::exchange(cq.empty_at_event, events_) == events_) MoveOn();
  if (cq.count == 0) return 0;
  ++events_;
  return cq.Poll(most, into);
}

void Timetable::MoveOn() {
  ++events_;
  std::uint64_t next_ns = timing_.now_ns->load() + timing_.longest_step_ns;
  if (!flights_.empty()) next_ns = std::min(next_ns, flights_.begin()->first);
  if (timing_.moving_on) timing_.moving_on(next_ns);
  *timing_.now_ns = next_ns;
  Land();
}

void Timetable::Land() {
  while (!flights_.empty() && flights_.begin()->first <= *timing_.now_ns) {
    // Off the list first: what arrives may add to it.
    const auto node = flights_.extract(flights_.begin());
    node.mapped().arrive(node.mapped().request->request());
  }
}

}  // namespace rdmabench::fake
