#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>

#include "transport/fake_verbs_objects.h"

namespace rdmabench::fake {

void FakeCq::Push(const CqEntry& entry) {
  const std::lock_guard lock(mutex);
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
  if (count.load(std::memory_order_acquire) == 0) return 0;
  const std::lock_guard lock(mutex);
  const std::size_t held = count.load(std::memory_order_relaxed);
  const std::size_t taken = std::min(held, static_cast<std::size_t>(std::max(0, most)));
  for (std::size_t i = 0; i < taken; ++i) {
    const CqEntry& entry = ring[head];
    into[i] = entry.wc;
    --entry.qp->in_cqs;
    if (entry.receive) {
      entry.qp->recv_retired.fetch_add(1, std::memory_order_release);
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
    } else {
      ring[(head + kept++) % ring.size()] = entry;
    }
  }
  count.store(kept, std::memory_order_release);
}

void FakeQp::CompleteSend(std::uint64_t wr_id, std::uint64_t position, const ibv_wc& wc) {
  CqEntry entry{.wc = wc, .qp = this, .receive = false, .solicited = false, .position = position};
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

void FakeQp::CompleteRecv(const RecvSlot& slot, ibv_wc wc, bool solicited) {
  wc.wr_id = slot.wr_id;
  wc.qp_num = qp_num;
  RecvCq().Push({.wc = wc, .qp = this, .receive = true, .solicited = solicited, .position = 0});
}

void FakeQp::FlushReceives() {
  ibv_wc wc{};
  wc.status = IBV_WC_WR_FLUSH_ERR;
  for (; recv_taken < recv_posted; ++recv_taken) {
    CompleteRecv(recv_ring[recv_taken % recv_ring.size()], wc, false);
  }
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
  posted = 0;
  recv_posted = recv_taken = 0;
  peer.reset();
  local_mr.reset();
  remote_mr.reset();
  recv_mr.reset();
  if (in_cqs != 0) {
    SendCq().Forget(this);
    RecvCq().Forget(this);
  }
  retired = 0;
  recv_retired = 0;
}

int PostRecv(ibv_qp* base, ibv_recv_wr* wr, ibv_recv_wr** bad_wr) {
  FakeQp& qp = *static_cast<FakeQp*>(base);
  const std::lock_guard lock(qp.recv_mutex);
  for (; wr != nullptr; wr = wr->next) {
    const ibv_qp_state now = qp.now;
    int code = TheWorld().FailureOf("ibv_post_recv");
    if (now == IBV_QPS_RESET || wr->num_sge < 0 ||
        static_cast<std::uint32_t>(wr->num_sge) > qp.cap.max_recv_sge) {
      code = EINVAL;
    } else if (qp.recv_posted - qp.recv_retired >= qp.cap.max_recv_wr) {
      code = ENOMEM;
    }
    if (code != 0) {
      *bad_wr = wr;
      return code;
    }
    const std::size_t slot = qp.recv_posted++ % qp.recv_ring.size();
    qp.recv_ring[slot] = {.wr_id = wr->wr_id, .sges = wr->num_sge};
    std::copy_n(wr->sg_list, wr->num_sge, &qp.recv_sges[slot * qp.cap.max_recv_sge]);
    if (now == IBV_QPS_ERR) qp.FlushReceives();
  }
  return 0;
}

int PollCq(ibv_cq* cq, int most, ibv_wc* wc) {
  if (TheWorld().FailureOf("ibv_poll_cq") != 0) return -1;
  return static_cast<FakeCq*>(cq)->Poll(most, wc);
}

int RequestNotify(ibv_cq* cq, int solicited_only) {
  auto* fake = static_cast<FakeCq*>(cq);
  if (fake->channel == nullptr) return EINVAL;
  const std::lock_guard lock(fake->mutex);
  fake->notify = solicited_only != 0 ? Notify::kSolicited : Notify::kAny;
  return 0;
}

}  // namespace rdmabench::fake
