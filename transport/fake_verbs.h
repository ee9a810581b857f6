// The ibv_* functions for unit tests: devices, queue pairs and memory in this process, both sides
// of a run included. The data path is a memcpy through context->ops, in the calling thread. Faults
// are injected by name. Link it (testonly, linkstatic) and its symbols win over libibverbs.so's. It
// never stands in for a result.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rdmabench::fake {

struct FakeGid {
  std::string text;                 // "fe80::1", "::ffff:10.0.0.1"
  int type = IBV_GID_TYPE_ROCE_V2;  // IBV_GID_TYPE_*
};

struct FakeDevice {
  std::string name = "fake0";
  std::uint8_t link_layer = IBV_LINK_LAYER_ETHERNET;
  ibv_port_state state = IBV_PORT_ACTIVE;
  ibv_mtu active_mtu = IBV_MTU_1024;
  std::uint8_t active_speed = 32;  // EDR, of four lanes
  std::uint16_t lid = 0;
  bool grh_required = false;
  std::vector<FakeGid> gids = {{"fe80::1"}, {"::ffff:127.0.0.1"}};
  std::uint32_t max_inline = 64;
  std::uint32_t max_qp_wr = 16384;
  std::uint32_t max_cqe = 32767;
  std::uint32_t max_qp = 4096;
  std::uint32_t max_srq_wr = 16384;  // 0: no shared receive queues
  std::uint16_t pkeys = 1;           // entries of the partition table
};

// What happens to a message's bytes while all else is as ever: a bit in the middle flips; the
// message and the next of its queue pair change places; it has the content of the one before; its
// second half, or nothing of it arrives, and what lay there stays; an atomic operation is carried
// out once more, and nobody told.
enum class Damage { kNone, kFlipBit, kSwap, kRepeat, kTruncate, kStale, kTwice };

// What goes wrong, until the next Reset(). Zero or empty: nothing.
struct Faults {
  // A verb, or a queue pair's transition: "ibv_reg_mr", "ibv_post_send", "ibv_modify_qp:init",
  // ":rtr", ":rts".
  std::string failing_call = {};
  int failing_errno = 12;           // ENOMEM
  std::uint64_t failing_after = 0;  // calls of it that still succeed
  // The n-th send request posted from now on (from 1, all queue pairs) is lost and completes with
  // error_status.
  std::uint64_t error_at_message = 0;
  ibv_wc_status error_status = IBV_WC_REM_ACCESS_ERR;
  std::uint64_t stall_at_message = 0;  // from the n-th on nothing arrives or completes any more
  // The n-th finds its memory key revoked, if it has one.
  std::uint64_t revoke_at_message = 0;
  // From the n-th on that takes a receive request, so many find none posted.
  std::uint64_t unready_at_message = 0;
  std::uint64_t unready_messages = ~std::uint64_t{0};
  // Before the n-th goes its sender's device, or its target's, raises an asynchronous event: a
  // queue pair breaks, or takes its completion queue with it; a port goes down, a device fails.
  std::uint64_t event_at_message = 0;
  ibv_event_type event = IBV_EVENT_QP_FATAL;
  bool event_at_target = false;
  // On types that lose messages, whose messages alone count here, the n-th completes as ever, and
  // arrives never (and so many with it), or twice, or after so many others of its queue pair. Both
  // twice and late: once at once, and once late.
  std::uint64_t lose_at_message = 0;
  std::uint64_t lost_messages = 1;
  std::uint64_t duplicate_at_message = 0;
  std::uint64_t late_at_message = 0;
  std::uint64_t late_by_messages = 1;
  Damage damage = Damage::kNone;
  std::uint64_t damage_at_message = 0;
};

// Devices of the process from now on; faults gone. Objects made before must be gone.
void Reset(std::vector<FakeDevice> devices = {FakeDevice{}});
void Inject(const Faults& faults);

// Objects that are alive: contexts, pds, mrs, cqs, qps, srqs, ahs, channels. Zero after a run, or
// something leaked.
std::size_t LiveObjects();
// The numbers of the queue pairs that are alive, in the order they were made.
std::vector<std::uint32_t> LiveQueuePairs();
// The attributes the queue pair was last given, and the mask of its last transition to `state`, for
// tests of what reaches it.
ibv_qp_attr AttributesOf(std::uint32_t qpn);
int MaskOf(std::uint32_t qpn, ibv_qp_state state);
// The attributes an address handle was made with.
ibv_ah_attr AddressOf(const ibv_ah* ah);
// The access flags of the memory region that has this remote key.
int AccessOf(std::uint32_t rkey);
// True when a completion came that its queue had no place for.
bool AnyOverrun();

}  // namespace rdmabench::fake
