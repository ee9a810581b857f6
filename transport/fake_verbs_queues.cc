#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <thread>

#include "transport/fake_verbs_objects.h"

namespace rdmabench::fake {

void RecvQueue::Resize(std::uint32_t requests, std::uint32_t sges_a_request) {
  max_sge = sges_a_request;
  ring.resize(requests);
  sges.resize(std::size_t{requests} * sges_a_request);
}

int RecvQueue::Post(const ibv_recv_wr& wr) {
  if (wr.num_sge < 0 || static_cast<std::uint32_t>(wr.num_sge) > max_sge) return EINVAL;
  if (posted - retired >= ring.size()) return ENOMEM;
  const std::size_t slot = posted++ % ring.size();
  ring[slot] = {.wr_id = wr.wr_id, .sges = wr.num_sge};
  std::copy_n(wr.sg_list, wr.num_sge, &sges[slot * max_sge]);
  return 0;
}

void FakeCq::Push(const CqEntry& entry) {
  const std::lock_guard lock(mutex);
  if (broken) return;
  const std::size_t held = count.load(std::memory_order_relaxed);
  if (held == ring.size()) {
    TheWorld().overrun = true;
    return;
  }
  std::size_t tail = head + held;
  if (tail >= ring.size()) tail -= ring.size();
  ring[tail] = entry;
  ++entry.qp->in_cqs;
  count.store(held + 1, std::memory_order_release);

  const bool wakes = notify == Notify::kAny ||
                     (notify == Notify::kSolicited && (entry.solicited || entry.wc.status != 0));
  if (!wakes) return;
  notify = Notify::kNone;
  const FakeCq* self = this;
  [[maybe_unused]] const ssize_t written =
      write(static_cast<FakeChannel*>(channel)->write_fd, &self, kEventBytes);
  assert(written == kEventBytes);
}

int FakeCq::Poll(int most, ibv_wc* into) {
  // A poll that finds nothing takes no lock from those who complete.
  if (count.load(std::memory_order_acquire) == 0) {
    // Both sides of a test may have been pinned to one processor.
    constexpr int kPatience = 16;
    thread_local int in_vain = 0;
    if (++in_vain % kPatience == 0) std::this_thread::yield();
    return 0;
  }
  const std::lock_guard lock(mutex);
  const std::size_t held = count.load(std::memory_order_relaxed);
  const std::size_t taken = std::min(held, static_cast<std::size_t>(std::max(0, most)));
  for (std::size_t i = 0; i < taken; ++i) {
    const CqEntry& entry = ring[head];
    into[i] = entry.wc;
    --entry.qp->in_cqs;
    if (entry.receives != nullptr) {
      entry.receives->retired.fetch_add(1, std::memory_order_release);
    } else {
      entry.qp->retired.store(entry.position, std::memory_order_release);
    }
    if (++head == ring.size()) head = 0;
  }
  count.store(held - taken, std::memory_order_release);
  return static_cast<int>(taken);
}

void FakeCq::Forget(const FakeQp* qp) {
  const std::lock_guard lock(mutex);
  const std::size_t held = count.load(std::memory_order_relaxed);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < held; ++i) {
    const CqEntry entry = ring[(head + i) % ring.size()];
    if (entry.qp == qp) {
      --entry.qp->in_cqs;
      if (entry.receives != nullptr) ++entry.receives->retired;
    } else {
      ring[(head + kept++) % ring.size()] = entry;
    }
  }
  count.store(kept, std::memory_order_release);
}

void FakeQp::CompleteSend(std::uint64_t wr_id, std::uint64_t position, const ibv_wc& wc) {
  CqEntry entry{
      .wc = wc, .qp = this, .receives = nullptr, .solicited = false, .position = position};
  entry.wc.wr_id = wr_id;
  entry.wc.qp_num = qp_num;
  SendCq().Push(entry);
}

void FakeQp::FlushSends() {
  ibv_wc wc{};
  wc.status = IBV_WC_WR_FLUSH_ERR;
  for (const StalledSend& send : stalled) CompleteSend(send.wr_id, send.position, wc);
  stalled.clear();
}

void FakeQp::CompleteRecv(ibv_wc wc, bool solicited) {
  RecvQueue& queue = Receives();
  wc.wr_id = queue.ring[queue.front()].wr_id;
  wc.qp_num = qp_num;
  ++queue.taken;
  RecvCq().Push({.wc = wc, .qp = this, .receives = &queue, .solicited = solicited, .position = 0});
}

void FakeQp::FlushReceives() {
  ibv_wc wc{};
  wc.status = IBV_WC_WR_FLUSH_ERR;
  while (srq == nullptr && !own_receives.empty()) CompleteRecv(wc, false);
}

void FakeQp::Break() {
  now = IBV_QPS_ERR;
  FlushSends();
  const std::lock_guard lock(recv_mutex);
  FlushReceives();
}

void FakeQp::BreakResponder() {
  now = IBV_QPS_ERR;
  FlushReceives();
}

void FakeQp::Clear() {
  now = IBV_QPS_RESET;
  stalled.clear();
  if (TheWorld().timed) TheWorld().timetable.Forget(*this);
  arrives_ns = 0;
  held.clear();
  posted = 0;
  own_receives.posted = own_receives.taken = 0;
  peer.reset();
  local_mr.reset();
  remote_mr.reset();
  recv_mr.reset();
  if (in_cqs != 0) {
    SendCq().Forget(this);
    RecvCq().Forget(this);
  }
  retired = 0;
  own_receives.retired = 0;
}

int PostRecv(ibv_qp* base, ibv_recv_wr* wr, ibv_recv_wr** bad_wr) {
  FakeQp& qp = *static_cast<FakeQp*>(base);
  const std::lock_guard lock(qp.recv_mutex);
  for (; wr != nullptr; wr = wr->next) {
    const ibv_qp_state now = qp.now;
    int code = TheWorld().FailureOf("ibv_post_recv");
    if (now == IBV_QPS_RESET || qp.srq != nullptr) code = EINVAL;
    if (code == 0) code = qp.own_receives.Post(*wr);
    if (code != 0) {
      *bad_wr = wr;
      return code;
    }
    if (now == IBV_QPS_ERR) qp.FlushReceives();
  }
  return 0;
}

int PostSrqRecv(ibv_srq* base, ibv_recv_wr* wr, ibv_recv_wr** bad_wr) {
  FakeSrq& srq = *static_cast<FakeSrq*>(base);
  const std::lock_guard lock(srq.queue_mutex);
  for (; wr != nullptr; wr = wr->next) {
    int code = TheWorld().FailureOf("ibv_post_srq_recv");
    if (code == 0) code = srq.queue.Post(*wr);
    if (code != 0) {
      *bad_wr = wr;
      return code;
    }
  }
  return 0;
}

int PollCq(ibv_cq* cq, int most, ibv_wc* wc) {
  World& world = TheWorld();
  if (world.FailureOf("ibv_poll_cq") != 0) return -1;
  auto& fake = *static_cast<FakeCq*>(cq);
  if (world.timed.load(std::memory_order_relaxed)) return world.timetable.Poll(fake, most, wc);
  return fake.Poll(most, wc);
}

int RequestNotify(ibv_cq* cq, int solicited_only) {
  auto* fake = static_cast<FakeCq*>(cq);
  if (fake->channel == nullptr) return EINVAL;
  const std::lock_guard lock(fake->mutex);
  fake->notify = solicited_only != 0 ? Notify::kSolicited : Notify::kAny;
  return 0;
}

}  // namespace rdmabench::fake
