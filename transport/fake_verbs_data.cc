#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <span>

#include "transport/fake_verbs_damage.h"
#include "transport/fake_verbs_objects.h"

namespace rdmabench::fake {
namespace {

constexpr int kAtomicBytes = 8;

std::uint64_t TotalLength(std::span<const ibv_sge> sges) {
  std::uint64_t total = 0;
  for (const ibv_sge& sge : sges) total += sge.length;
  return total;
}

std::byte* BytesAt(std::uint64_t addr) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): verbs carry addresses as integers.
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(addr));
}

bool IsWord(const std::byte* to, std::size_t bytes) {
  return bytes == sizeof(std::uint64_t) && reinterpret_cast<std::uintptr_t>(to) % bytes == 0;
}

// The last byte comes after all others, and whoever loads it (acquire) sees them: what memory
// polling relies on. A word comes at once.
void CopyReleased(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (IsWord(to, bytes)) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, bytes);
    std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(to))
        .store(word, std::memory_order_release);
    return;
  }
  // One endpoint may be its own peer, with one region for both.
  std::memmove(to, from, bytes - 1);
  std::atomic_ref<std::byte>(to[bytes - 1]).store(from[bytes - 1], std::memory_order_release);
}

// Gathers `from` into `to` without its first `skip` bytes; the caller has checked that it fits.
void Copy(std::span<const ibv_sge> to, std::uint64_t skip, std::span<const ibv_sge> from) {
  std::size_t target = 0;
  std::uint64_t offset = skip;
  for (const ibv_sge& source : from) {
    for (std::uint64_t done = 0; done < source.length;) {
      while (offset >= to[target].length) offset -= to[target++].length;
      const std::uint64_t bytes = std::min(source.length - done, to[target].length - offset);
      CopyReleased(BytesAt(to[target].addr + offset), BytesAt(source.addr + done), bytes);
      done += bytes;
      offset += bytes;
    }
  }
}

bool Covers(const FakeMr& mr, std::uint64_t addr, std::uint64_t length) {
  return addr >= mr.base && length <= mr.length && addr - mr.base <= mr.length - length;
}

// `cache` keeps the region of the last call, and afterwards that of this one.
bool LocalAllowed(std::shared_ptr<FakeMr>& cache, const FakeQp& qp, std::span<const ibv_sge> sges,
                  int access) {
  for (const ibv_sge& sge : sges) {
    if (sge.length == 0) continue;
    if (cache == nullptr || cache->lkey != sge.lkey || !cache->alive) {
      cache = TheWorld().FindMr(sge.lkey);
    }
    if (cache == nullptr || cache->lkey != sge.lkey || cache->pd != qp.pd ||
        (cache->access & access) != access || !Covers(*cache, sge.addr, sge.length)) {
      return false;
    }
  }
  return true;
}

// Only rc is told what became of a request at the other side.
ibv_wc_status Told(const FakeQp& qp, ibv_wc_status status) {
  return qp.qp_type == IBV_QPT_RC ? status : IBV_WC_SUCCESS;
}

struct RemoteRange {
  std::uint64_t addr;
  std::uint64_t length;
  std::uint32_t rkey;
  int access;
};

// Runs `move` while the range is sure to stay registered.
template <class Move>
ibv_wc_status AccessRemote(FakeQp& qp, FakeQp& peer, const RemoteRange& range, Move move) {
  if (range.length == 0) return IBV_WC_SUCCESS;
  if (qp.remote_mr == nullptr || qp.remote_mr->rkey != range.rkey) {
    qp.remote_mr = TheWorld().FindMr(range.rkey);
  }
  if (FakeMr* mr = qp.remote_mr.get(); mr != nullptr) {
    const std::lock_guard lock(mr->mutex);
    if (mr->alive && mr->rkey == range.rkey && mr->pd == peer.pd &&
        (mr->access & range.access) != 0 &&
        (peer.remote_access & static_cast<unsigned>(range.access)) != 0 &&
        Covers(*mr, range.addr, range.length)) {
      move();
      return IBV_WC_SUCCESS;
    }
  }
  if (qp.qp_type == IBV_QPT_RC) {
    const std::lock_guard lock(peer.recv_mutex);
    peer.BreakResponder();
    RaiseOf(peer, IBV_EVENT_QP_ACCESS_ERR);
  }
  return Told(qp, IBV_WC_REM_ACCESS_ERR);
}

ibv_wc_status RefuseReceive(const FakeQp& qp, FakeQp& peer, ibv_wc_status local,
                            ibv_wc_status remote) {
  ibv_wc wc{};
  wc.status = local;
  peer.CompleteRecv(wc, false);
  peer.BreakResponder();
  return Told(qp, remote);
}

bool HasImmediate(ibv_wr_opcode opcode) {
  return opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

// Takes one receive of the peer: for the data of a SEND, for the immediate alone of a WRITE.
ibv_wc_status Deliver(const FakeQp& qp, FakeQp& peer, const ibv_send_wr& wr,
                      std::span<const ibv_sge> data, std::uint64_t length) {
  const std::lock_guard lock(peer.recv_mutex);
  if (!CanReceive(peer)) return Told(qp, IBV_WC_RETRY_EXC_ERR);
  const std::unique_lock shared = peer.LockShared();
  const RecvQueue& queue = peer.Receives();
  if (TheWorld().IsUnreadyForNext() || queue.empty()) return Told(qp, IBV_WC_RNR_RETRY_EXC_ERR);
  const bool datagram = qp.qp_type == IBV_QPT_UD;
  if (datagram && wr.wr.ud.remote_qkey != peer.attr.qkey) return IBV_WC_SUCCESS;

  const bool is_write = wr.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
  const std::uint32_t headroom = datagram ? kGrhBytes : 0;
  const std::span<const ibv_sge> into = queue.Pieces(queue.front());
  if (!is_write) {
    if (length + headroom > TotalLength(into)) {
      if (qp.qp_type != IBV_QPT_RC) return IBV_WC_SUCCESS;
      return RefuseReceive(qp, peer, IBV_WC_LOC_LEN_ERR, IBV_WC_REM_INV_REQ_ERR);
    }
    if (!LocalAllowed(peer.recv_mr, peer, into, IBV_ACCESS_LOCAL_WRITE)) {
      return RefuseReceive(qp, peer, IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
    }
    if (length > 0) {
      const std::lock_guard region(peer.recv_mr->mutex);
      Copy(into, headroom, data);
    }
  }
  ibv_wc wc{};
  wc.opcode = is_write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
  wc.byte_len = static_cast<std::uint32_t>(length + headroom);
  wc.src_qp = qp.qp_num;
  wc.wc_flags = datagram ? IBV_WC_GRH : 0;
  if (HasImmediate(wr.opcode)) {
    wc.imm_data = wr.imm_data;
    wc.wc_flags |= IBV_WC_WITH_IMM;
  }
  peer.CompleteRecv(wc, (wr.send_flags & IBV_SEND_SOLICITED) != 0);
  return IBV_WC_SUCCESS;
}

ibv_sge RemoteSge(std::uint64_t addr, std::uint64_t length) {
  return {.addr = addr, .length = static_cast<std::uint32_t>(length), .lkey = 0};
}

ibv_wc_status Write(FakeQp& qp, FakeQp& peer, const ibv_send_wr& wr, std::span<const ibv_sge> data,
                    std::uint64_t length) {
  const RemoteRange range{wr.wr.rdma.remote_addr, length, wr.wr.rdma.rkey, IBV_ACCESS_REMOTE_WRITE};
  const ibv_wc_status status = AccessRemote(qp, peer, range, [&] {
    const ibv_sge remote = RemoteSge(range.addr, length);
    Copy({&remote, 1}, 0, data);
  });
  if (status != IBV_WC_SUCCESS || wr.opcode == IBV_WR_RDMA_WRITE) return status;
  return Deliver(qp, peer, wr, {}, length);
}

ibv_wc_status Read(FakeQp& qp, FakeQp& peer, const ibv_send_wr& wr, std::span<const ibv_sge> into,
                   std::uint64_t length) {
  const RemoteRange range{wr.wr.rdma.remote_addr, length, wr.wr.rdma.rkey, IBV_ACCESS_REMOTE_READ};
  return AccessRemote(qp, peer, range, [&] {
    const ibv_sge remote = RemoteSge(range.addr, length);
    Copy(into, 0, {&remote, 1});
  });
}

ibv_wc_status Atomic(FakeQp& qp, FakeQp& peer, const ibv_send_wr& wr, std::span<const ibv_sge> into,
                     std::uint64_t length) {
  const RemoteRange range{wr.wr.atomic.remote_addr, kAtomicBytes, wr.wr.atomic.rkey,
                          IBV_ACCESS_REMOTE_ATOMIC};
  if (length != kAtomicBytes) return IBV_WC_LOC_LEN_ERR;
  if (range.addr % kAtomicBytes != 0) return IBV_WC_REM_INV_REQ_ERR;
  return AccessRemote(qp, peer, range, [&] {
    std::atomic_ref<std::uint64_t> value(*reinterpret_cast<std::uint64_t*>(BytesAt(range.addr)));
    std::uint64_t before = wr.wr.atomic.compare_add;
    if (wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
      before = value.fetch_add(wr.wr.atomic.compare_add);
    } else {
      // Sets `before` to what was found when that differs.
      value.compare_exchange_strong(before, wr.wr.atomic.swap);
    }
    const ibv_sge found = RemoteSge(reinterpret_cast<std::uintptr_t>(&before), kAtomicBytes);
    Copy(into, 0, {&found, 1});
  });
}

// The types that the operation exists for are `legal`; READs and atomics write to local memory.
struct Operation {
  ibv_wr_opcode opcode;
  ibv_wc_opcode completes_as;
  bool uc, ud;
  bool fetches;
};

constexpr Operation kOperations[] = {
    {IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE, true, false, false},
    {IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WC_RDMA_WRITE, true, false, false},
    {IBV_WR_SEND, IBV_WC_SEND, true, true, false},
    {IBV_WR_SEND_WITH_IMM, IBV_WC_SEND, true, true, false},
    {IBV_WR_RDMA_READ, IBV_WC_RDMA_READ, false, false, true},
    {IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WC_FETCH_ADD, false, false, true},
    {IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WC_COMP_SWAP, false, false, true},
};

const Operation* FindOperation(const FakeQp& qp, ibv_wr_opcode opcode) {
  for (const Operation& operation : kOperations) {
    if (operation.opcode != opcode) continue;
    const bool legal = qp.qp_type == IBV_QPT_RC || (qp.qp_type == IBV_QPT_UC && operation.uc) ||
                       (qp.qp_type == IBV_QPT_UD && operation.ud);
    return legal ? &operation : nullptr;
  }
  return nullptr;
}

ibv_wc_status Execute(FakeQp& qp, const ibv_send_wr& wr, const Operation& operation,
                      std::span<const ibv_sge> local, std::uint64_t length) {
  const bool inlined = (wr.send_flags & IBV_SEND_INLINE) != 0;
  const int access = operation.fetches ? IBV_ACCESS_LOCAL_WRITE : 0;
  if (!inlined && !LocalAllowed(qp.local_mr, qp, local, access)) return IBV_WC_LOC_PROT_ERR;
  if (qp.qp_type == IBV_QPT_UD && length > qp.mtu_bytes) return IBV_WC_LOC_LEN_ERR;
  if (operation.fetches && qp.attr.max_rd_atomic == 0) return IBV_WC_LOC_QP_OP_ERR;
  FakeQp* peer = FindPeer(qp, wr);
  if (peer == nullptr || !IsUp(qp) || !IsUp(*peer)) return Told(qp, IBV_WC_RETRY_EXC_ERR);
  switch (wr.opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
      return Write(qp, *peer, wr, local, length);
    case IBV_WR_SEND:
    case IBV_WR_SEND_WITH_IMM:
      return Deliver(qp, *peer, wr, local, length);
    case IBV_WR_RDMA_READ:
      return Read(qp, *peer, wr, local, length);
    default:
      return Atomic(qp, *peer, wr, local, length);
  }
}

// Keeps the message, as its slot may be used again before it arrives.
void Hold(FakeQp& qp, const ibv_send_wr& wr, std::span<const ibv_sge> local, std::uint64_t length,
          std::uint64_t behind) {
  HeldSend& held = qp.held.emplace_back();
  held.request = wr;
  held.request.send_flags |= IBV_SEND_INLINE;  // the copy is in no registered memory
  held.payload.resize(length);
  const ibv_sge copy = RemoteSge(reinterpret_cast<std::uintptr_t>(held.payload.data()), length);
  Copy({&copy, 1}, 0, local);
  held.position = behind;
}

// Those that arrive behind the message of this position.
void DeliverHeld(FakeQp& qp, std::uint64_t position) {
  std::erase_if(qp.held, [&](const HeldSend& held) {
    if (held.position > position) return false;
    const ibv_sge copy =
        RemoteSge(reinterpret_cast<std::uintptr_t>(held.payload.data()), held.payload.size());
    Execute(qp, held.request, *FindOperation(qp, held.request.opcode), {&copy, 1}, copy.length);
    return true;
  });
}

// What becomes of a request, and its completion. With send_mutex held.
void Carry(FakeQp& qp, const ibv_send_wr& wr, std::uint64_t position, const Fate& fate) {
  const Operation& operation = *FindOperation(qp, wr.opcode);
  const std::span<const ibv_sge> local(wr.sg_list, static_cast<std::size_t>(wr.num_sge));
  const std::uint64_t length = TotalLength(local);
  ibv_wc wc{};
  wc.opcode = operation.completes_as;
  wc.byte_len = static_cast<std::uint32_t>(length);
  if (qp.now == IBV_QPS_ERR) {
    wc.status = IBV_WC_WR_FLUSH_ERR;
    return qp.CompleteSend(wr.wr_id, position, wc);
  }
  const int copies = qp.qp_type == IBV_QPT_RC ? 1 : fate.copies;
  wc.status = fate.error.value_or(IBV_WC_SUCCESS);
  for (int i = 0; i < copies && wc.status == IBV_WC_SUCCESS; ++i) {
    wc.status = Execute(qp, wr, operation, local, length);
  }
  if (fate.late_by != 0) Hold(qp, wr, local, length, position + fate.late_by);
  if (!qp.held.empty()) DeliverHeld(qp, position);
  const bool failed = wc.status != IBV_WC_SUCCESS;
  if (failed || qp.signal_all || (wr.send_flags & IBV_SEND_SIGNALED) != 0) {
    qp.CompleteSend(wr.wr_id, position, wc);
  }
  if (failed) qp.Break();
}

// What happens before the message goes.
void Befall(FakeQp& qp, const ibv_send_wr& wr, const Fate& fate) {
  if (fate.revoked) {
    if (const std::shared_ptr<FakeMr> mr = TheWorld().FindMr(wr.wr.rdma.rkey)) mr->alive = false;
  }
  if (!fate.event) return;
  FakeQp* const struck = fate.event_at_target ? FindPeer(qp, wr) : &qp;
  if (struck != nullptr) Strike(*struck, !fate.event_at_target, *fate.event);
}

int PostOne(FakeQp& qp, const ibv_send_wr& wr) {
  const ibv_qp_state now = qp.now;
  if (now != IBV_QPS_RTS && now != IBV_QPS_ERR) return EINVAL;
  if (const int code = TheWorld().FailureOf("ibv_post_send"); code != 0) return code;
  if (qp.posted - qp.retired.load(std::memory_order_acquire) >= qp.cap.max_send_wr) return ENOMEM;
  const Operation* operation = FindOperation(qp, wr.opcode);
  if (operation == nullptr || wr.num_sge < 0 ||
      static_cast<std::uint32_t>(wr.num_sge) > qp.cap.max_send_sge) {
    return EINVAL;
  }
  const std::span<const ibv_sge> local(wr.sg_list, static_cast<std::size_t>(wr.num_sge));
  const bool inlined = (wr.send_flags & IBV_SEND_INLINE) != 0;
  if (inlined && (operation->fetches || TotalLength(local) > qp.cap.max_inline_data)) return EINVAL;

  const std::uint64_t position = ++qp.posted;
  const Fate fate = now == IBV_QPS_ERR ? Fate{} : TheWorld().NextFate(qp);
  Befall(qp, wr, fate);
  if (fate.stalled || qp.Device().failed) {
    qp.stalled.push_back({.wr_id = wr.wr_id, .position = position});
  } else if (TheWorld().timed.load(std::memory_order_relaxed)) {
    TheWorld().timetable.Add(qp, wr, [&qp, position, fate](const ibv_send_wr& copy) {
      const std::lock_guard lock(qp.send_mutex);
      Carry(qp, copy, position, fate);
    });
  } else {
    Carry(qp, wr, position, fate);
  }
  return 0;
}

}  // namespace

int PostSend(ibv_qp* base, ibv_send_wr* wr, ibv_send_wr** bad_wr) {
  FakeQp& qp = *static_cast<FakeQp*>(base);
  const std::lock_guard lock(qp.send_mutex);
  const bool faulty = TheWorld().faulty.load(std::memory_order_relaxed);
  for (; wr != nullptr; wr = wr->next) {
    const int code = faulty ? PostDamaged(qp, *wr, PostOne) : PostOne(qp, *wr);
    if (code != 0) {
      *bad_wr = wr;
      return code;
    }
  }
  return 0;
}

}  // namespace rdmabench::fake
