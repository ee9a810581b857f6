#include "bench/credit.h"

#include <algorithm>

#include "bench/channel.h"

namespace rdmabench {
namespace {

std::uint64_t* Counts(std::byte* data) { return reinterpret_cast<std::uint64_t*>(data); }

}  // namespace

CreditReturn::CreditReturn(const Endpoint& control, std::uint32_t queues)
    : control_(control),
      counts_(Counts(control.own_data())),
      queues_(queues),
      pieces_(queues),
      requests_(queues) {
  for (const Cq& cq : control.send_cqs()) cqs_.push_back(cq.get());
  const Target target = control.TargetOf(0);
  for (std::uint32_t i = 0; i < queues; ++i) {
    pieces_[i] = {.addr = control.own_addr() + CreditBytes(i),
                  .length = sizeof(std::uint64_t),
                  .lkey = control.memory().lkey()};
    ibv_send_wr& request = requests_[i];
    request.wr_id = i;
    request.sg_list = &pieces_[i];
    request.num_sge = 1;
    request.opcode = IBV_WR_RDMA_WRITE;
    request.send_flags = IBV_SEND_SIGNALED;
    request.wr.rdma = {.remote_addr = target.addr + CreditBytes(i), .rkey = target.rkey};
  }
}

bool CreditReturn::Return(std::uint32_t queue, std::uint64_t count) {
  std::atomic_ref<std::uint64_t>(counts_[queue]).store(count, std::memory_order_release);
  if (queues_[queue].is_on_its_way) {
    queues_[queue].has_more = true;
    return true;
  }
  return Post(queue);
}

void CreditReturn::Restart() { std::fill_n(counts_, queues_.size(), 0); }

bool CreditReturn::Post(std::uint32_t queue) {
  ibv_qp* qp = control_.queue_pairs().front().get();
  ibv_send_wr* bad = nullptr;
  if (const int code = ibv_post_send(qp, &requests_[queue], &bad); code != 0) {
    failure_ = {.what = Failure::What::kPost, .code = code, .qpn = qp->qp_num};
    return false;
  }
  queues_[queue] = {.is_on_its_way = true, .has_more = false};
  ++in_flight_;
  return true;
}

bool CreditReturn::Reap() {
  return PollEach<VerbsChannel>(cqs_, batch_, failure_, [this](const ibv_wc& completion) {
    --in_flight_;
    Queue& queue = queues_[completion.wr_id];
    queue.is_on_its_way = false;
    return !queue.has_more || Post(static_cast<std::uint32_t>(completion.wr_id));
  });
}

Credits::Credits(const Endpoint& control, std::uint32_t queues, const Options& options,
                 const TickClock& clock)
    : options_(options), clock_(&clock), queues_(queues) {
  for (std::uint32_t i = 0; i < queues; ++i) {
    queues_[i].count = Counts(control.exposed_data()) + i;
  }
}

void Credits::Restart(const Endpoint& control, std::uint32_t queues) {
  std::fill_n(Counts(control.exposed_data()), queues, 0);
}

// Reads the count, which is written by the peer's device, only when what was allowed is used up.
bool Credits::Renew(Queue& queue) {
  const std::uint64_t count =
      std::atomic_ref<std::uint64_t>(*queue.count).load(std::memory_order_acquire);
  queue.allowed = Settled(queue, count) + options_.depth;
  if (queue.sent + options_.post_list <= queue.allowed) return true;
  if (options_.patience_ticks != 0) Forgive(queue, count);
  return false;
}

// Of the messages that were sent, those that have come or count as gone.
std::uint64_t Credits::Settled(const Queue& queue, std::uint64_t count) const {
  return options_.counts_lost ? std::max(count, queue.forgiven) : count + queue.forgiven;
}

// What is still to be received arrives in far less than the patience; what has not is lost, and its
// receive requests are still posted. Of what has come, less than a chain may not be posted again.
void Credits::Forgive(Queue& queue, std::uint64_t count) {
  const std::uint64_t now = clock_->Now();
  if (queue.since_ticks == 0 || queue.seen != count) {
    queue.since_ticks = now;
    queue.seen = count;
  } else if (now - queue.since_ticks > options_.patience_ticks) {
    queue.since_ticks = 0;
    const std::uint64_t gone = queue.sent - (options_.chain - 1);
    queue.forgiven = options_.counts_lost ? gone : gone - count;
  }
}

}  // namespace rdmabench
