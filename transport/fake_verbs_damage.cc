#include "transport/fake_verbs_damage.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace rdmabench::fake {
namespace {

using Bytes = std::vector<std::byte>;

std::byte* At(std::uint64_t addr) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): verbs carry addresses as integers.
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(addr));
}

std::span<std::byte> LocalOf(const ibv_send_wr& wr) {
  return {At(wr.sg_list->addr), wr.sg_list->length};
}

bool IsAtomic(const ibv_send_wr& wr) {
  return wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
}
bool Fetches(const ibv_send_wr& wr) { return wr.opcode == IBV_WR_RDMA_READ || IsAtomic(wr); }

// What lies where the message will be written.
Bytes TargetOf(const FakeQp& qp, const ibv_send_wr& wr) {
  const std::size_t bytes = LocalOf(wr).size();
  if (wr.opcode != IBV_WR_SEND && wr.opcode != IBV_WR_SEND_WITH_IMM) {
    const std::byte* from = At(wr.wr.rdma.remote_addr);
    return {from, from + bytes};
  }
  const bool datagram = qp.qp_type == IBV_QPT_UD;
  const std::shared_ptr<FakeQp> peer =
      TheWorld().FindQp(datagram ? wr.wr.ud.remote_qpn : qp.attr.dest_qp_num);
  const std::lock_guard lock(peer->recv_mutex);
  const std::unique_lock shared = peer->LockShared();
  const RecvQueue& queue = peer->Receives();
  const std::byte* from =
      At(queue.Pieces(queue.front()).front().addr) + (datagram ? kGrhBytes : 0U);
  return {from, from + bytes};
}

// What arrives in place of `sent`, where `there` is what arrived or lay there before.
Bytes Damaged(Damage damage, const Bytes& sent, const Bytes& there) {
  Bytes bytes = sent;
  const auto half = static_cast<std::ptrdiff_t>(bytes.size() / 2);
  switch (damage) {
    case Damage::kFlipBit:
      bytes[bytes.size() / 2] ^= std::byte{16};
      break;
    case Damage::kTruncate:
      std::copy(there.begin() + half, there.end(), bytes.begin() + half);
      break;
    case Damage::kStale:
    case Damage::kRepeat:
      bytes = there;
      break;
    case Damage::kNone:
    case Damage::kSwap:
    case Damage::kTwice:
      break;
  }
  return bytes;
}

// Of the n-th message; the others pass unharmed. Absent: all do.
std::optional<Damage> DamageOfNext() {
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  if (world.faults.damage == Damage::kNone) return std::nullopt;
  const bool hit = ++world.damageable_sends == world.faults.damage_at_message;
  return hit ? world.faults.damage : Damage::kNone;
}

using Post = int (*)(FakeQp&, const ibv_send_wr&);

// What is fetched is damaged where it has come to.
int PostFetch(FakeQp& qp, const ibv_send_wr& wr, Post post, Damage damage) {
  const std::span<std::byte> local = LocalOf(wr);
  const Bytes before(local.begin(), local.end());
  const int code = post(qp, wr);
  const Bytes fetched(local.begin(), local.end());
  const Bytes& there = damage == Damage::kRepeat ? qp.last_bytes : before;
  const Bytes bytes = Damaged(damage, fetched, there);
  std::copy(bytes.begin(), bytes.end(), local.begin());
  if (damage == Damage::kTwice) {
    ++std::atomic_ref(*reinterpret_cast<std::uint64_t*>(At(wr.wr.atomic.remote_addr)));
  }
  if (qp.withheld != nullptr) {
    std::swap_ranges(local.begin(), local.end(), LocalOf(*qp.withheld).begin());
  }
  qp.withheld = damage == Damage::kSwap ? &wr : nullptr;
  qp.last_bytes = fetched;
  return code;
}

// What is sent is damaged where it comes from, and whole again when it has left.
int PostPush(FakeQp& qp, const ibv_send_wr& wr, Post post, Damage damage) {
  const std::span<std::byte> local = LocalOf(wr);
  if (damage == Damage::kSwap) {
    qp.withheld = &wr;  // leaves with the next one
    return 0;
  }
  if (const ibv_send_wr* const first = qp.withheld; first != nullptr) {
    qp.withheld = nullptr;
    const std::span<std::byte> other = LocalOf(*first);
    std::swap_ranges(local.begin(), local.end(), other.begin());
    const int earlier = post(qp, *first);
    const int code = earlier != 0 ? earlier : post(qp, wr);
    std::swap_ranges(local.begin(), local.end(), other.begin());
    return code;
  }
  const Bytes sent(local.begin(), local.end());
  if (damage != Damage::kNone) {
    const Bytes bytes =
        Damaged(damage, sent, damage == Damage::kRepeat ? qp.last_bytes : TargetOf(qp, wr));
    std::copy(bytes.begin(), bytes.end(), local.begin());
  }
  const int code = post(qp, wr);
  std::copy(sent.begin(), sent.end(), local.begin());
  qp.last_bytes = sent;
  return code;
}

}  // namespace

int PostDamaged(FakeQp& qp, const ibv_send_wr& wr, Post post) {
  const std::optional<Damage> damage = DamageOfNext();
  if (!damage) return post(qp, wr);
  return Fetches(wr) ? PostFetch(qp, wr, post, *damage) : PostPush(qp, wr, post, *damage);
}

}  // namespace rdmabench::fake
