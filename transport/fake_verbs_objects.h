// Inside of fake_verbs: the objects behind the handles, and the world that they live in. Only the
// fake's own files include it. Mutexes are taken in this order: a queue pair's send_mutex, one
// queue pair's recv_mutex, a shared receive queue's, a region's, a completion queue's. The world's
// is held by itself or innermost.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transport/fake_verbs.h"
#include "transport/fake_verbs_timetable.h"

namespace rdmabench::fake {

inline constexpr std::uint32_t kGrhBytes = 40;
inline constexpr std::uint32_t kMaxReads = 16;  // outstanding READs and atomics of a queue pair
inline constexpr std::uint32_t kMaxSge = 32;
inline constexpr int kMaxCq = 65536;
// A channel's event in its pipe: the pointer to the completion queue.
inline constexpr std::size_t kEventBytes = sizeof(void*);

struct DeviceState {
  ibv_device handle{};
  FakeDevice config;
  std::vector<ibv_gid> gids;
  std::atomic<ibv_port_state> port_state{IBV_PORT_ACTIVE};
  std::atomic<bool> failed{false};  // nothing completes any more
};

struct FakeContext : ibv_context {
  DeviceState* state = nullptr;
  std::atomic<int> children{0};
  std::mutex events_mutex;
  std::deque<ibv_async_event> events;  // async_fd counts them
  std::uint64_t wire_free_ns = 0;      // in simulated time: when the next message may leave
};

// Asynchronous events of an object that were read, and that were acknowledged: its end waits until
// there are as many of both.
struct EventCount {
  std::atomic<int> taken{0};
  std::atomic<int> acknowledged{0};
};

struct FakePd : ibv_pd {
  std::atomic<int> children{0};
};

struct FakeAh : ibv_ah {
  ibv_ah_attr attr{};
};

struct FakeMr : ibv_mr {
  std::mutex mutex;  // held while bytes move, so that deregistration waits for them
  std::atomic<bool> alive{true};
  int access = 0;
  std::uint64_t base = 0;  // where requests find the first byte
};

struct FakeChannel : ibv_comp_channel {
  int write_fd = -1;
};

struct FakeQp;

struct RecvSlot {
  std::uint64_t wr_id = 0;
  int sges = 0;
};

// Receive requests, of a queue pair or shared. The owner's mutex guards all but `retired`.
struct RecvQueue {
  std::vector<RecvSlot> ring;
  std::vector<ibv_sge> sges;  // max_sge a slot
  std::uint32_t max_sge = 0;
  std::uint64_t posted = 0;
  std::uint64_t taken = 0;
  std::atomic<std::uint64_t> retired{0};  // written while polling

  void Resize(std::uint32_t requests, std::uint32_t sges_a_request);
  // 0, or the errno value with which a queue refuses the request.
  int Post(const ibv_recv_wr& wr);
  bool empty() const { return taken == posted; }
  std::size_t front() const { return taken % ring.size(); }
  std::span<const ibv_sge> Pieces(std::size_t slot) const {
    return {&sges[slot * max_sge], static_cast<std::size_t>(ring[slot].sges)};
  }
};

// One completion, and what polling it gives back to its queue pair, or to the queue of its receive
// request.
struct CqEntry {
  ibv_wc wc{};
  FakeQp* qp = nullptr;
  RecvQueue* receives = nullptr;
  bool solicited = false;
  std::uint64_t position = 0;  // of a send request: this one and all before it leave the send queue
};

enum class Notify { kNone, kSolicited, kAny };

struct FakeCq : ibv_cq {
  std::mutex mutex;
  std::vector<CqEntry> ring;
  std::size_t head = 0;
  std::atomic<std::size_t> count{0};  // written under the mutex
  Notify notify = Notify::kNone;
  std::atomic<int> users{0};
  std::atomic<bool> broken{false};  // takes no completion any more
  EventCount events;
  std::uint64_t empty_at_event = 0;  // in simulated time: when it was last polled in vain

  void Push(const CqEntry& entry);
  int Poll(int most, ibv_wc* into);
  void Forget(const FakeQp* qp);
};

struct FakeSrq : ibv_srq {
  EventCount events;
  std::mutex queue_mutex;
  RecvQueue queue;
  std::atomic<int> users{0};
};

// What becomes of a message.
struct Fate {
  bool stalled = false;
  std::optional<ibv_wc_status> error = {};
  bool revoked = false;                      // its memory key is
  std::optional<ibv_event_type> event = {};  // raised before it goes
  bool event_at_target = false;
  int copies = 1;             // that arrive at once where nobody is told
  std::uint64_t late_by = 0;  // messages after which another one arrives; 0: none does
};

// A message that arrives late, with its payload.
struct HeldSend {
  ibv_send_wr request{};
  std::vector<std::byte> payload;
  std::uint64_t position = 0;  // of the message behind which it arrives
};

struct StalledSend {
  std::uint64_t wr_id = 0;
  std::uint64_t position = 0;
};

struct FakeQp : ibv_qp {
  EventCount events;
  ibv_qp_cap cap{};
  bool signal_all = false;
  std::uint32_t mtu_bytes = 0;  // of the port
  std::atomic<ibv_qp_state> now{IBV_QPS_RESET};
  std::atomic<unsigned> remote_access{0};
  std::atomic<std::uint32_t> in_cqs{0};  // completions not polled yet
  ibv_qp_attr attr{};                    // written under both mutexes
  std::array<int, IBV_QPS_UNKNOWN + 1> masks{};

  std::mutex send_mutex;  // guards up to the next mutex
  std::uint64_t posted = 0;
  std::atomic<std::uint64_t> retired{0};  // written while polling
  std::vector<StalledSend> stalled;
  std::uint64_t arrives_ns = 0;  // in simulated time: the last message
  std::vector<HeldSend> held;
  std::vector<std::byte> last_bytes;      // of the message before, for damage to this one
  const ibv_send_wr* withheld = nullptr;  // changes places with the next
  std::shared_ptr<FakeQp> peer;           // the last one found, and the last regions used
  std::shared_ptr<FakeMr> local_mr;
  std::shared_ptr<FakeMr> remote_mr;

  std::mutex recv_mutex;  // guards the rest
  RecvQueue own_receives;
  std::shared_ptr<FakeMr> recv_mr;

  FakeCq& SendCq() const { return *static_cast<FakeCq*>(send_cq); }
  FakeCq& RecvCq() const { return *static_cast<FakeCq*>(recv_cq); }
  const DeviceState& Device() const { return *static_cast<FakeContext*>(context)->state; }
  FakeSrq* Srq() const { return static_cast<FakeSrq*>(srq); }
  // With recv_mutex held. Of a shared queue, the lock that it needs beside.
  RecvQueue& Receives() { return srq != nullptr ? Srq()->queue : own_receives; }
  std::unique_lock<std::mutex> LockShared() const {
    return srq != nullptr ? std::unique_lock(Srq()->queue_mutex) : std::unique_lock<std::mutex>();
  }

  // With send_mutex held.
  void CompleteSend(std::uint64_t wr_id, std::uint64_t position, const ibv_wc& wc);
  void FlushSends();
  // With recv_mutex held, and LockShared() for the first: takes the oldest receive request.
  void CompleteRecv(ibv_wc wc, bool solicited);
  void FlushReceives();  // shared ones stay
  // With send_mutex held and recv_mutex not.
  void Break();
  // With recv_mutex held: what a responder does after a request it must refuse.
  void BreakResponder();
  void Clear();  // with both held: back to RESET
};

struct World {
  std::mutex mutex;  // guards all but the atomics
  std::vector<std::unique_ptr<DeviceState>> devices;
  std::vector<FakeContext*> contexts;
  std::unordered_map<std::uint32_t, std::shared_ptr<FakeQp>> qps;  // by number
  std::unordered_map<std::uint32_t, std::shared_ptr<FakeMr>> mrs;  // by key >> 8
  std::uint32_t next_qpn = 0x11;
  std::uint32_t next_key = 1;
  Faults faults;
  std::uint64_t calls = 0;             // of faults.failing_call
  std::uint64_t sends = 0;             // since the injection
  std::uint64_t unreliable_sends = 0;  // of these, on types that lose messages
  std::uint64_t damageable_sends = 0;
  std::uint64_t deliveries = 0;  // of messages that take a receive request

  Timetable timetable;  // used where `timed`, by one thread

  std::atomic<bool> faulty{false};
  std::atomic<bool> timed{false};
  std::atomic<std::size_t> live{0};
  std::atomic<bool> overrun{false};

  // The errno value that this call fails with; 0 when it does not.
  int FailureOf(std::string_view call);
  // Of the next message that this queue pair sends.
  Fate NextFate(const FakeQp& qp);
  // Whether the next message that needs one finds no receive request.
  bool IsUnreadyForNext();
  std::shared_ptr<FakeQp> FindQp(std::uint32_t qpn);
  std::shared_ptr<FakeMr> FindMr(std::uint32_t key);
};

// C functions have no other place to find their state in.
World& TheWorld();

// Sets errno and returns null when `code` is not 0.
inline bool Refused(int code) {
  if (code != 0) errno = code;
  return code != 0;
}

// The network.
bool CanReceive(const FakeQp& qp);
bool IsUp(const FakeQp& qp);  // its port
// Where the request goes; null where nobody is reached. With send_mutex held.
FakeQp* FindPeer(FakeQp& qp, const ibv_send_wr& wr);

// Raises an event of the queue pair.
void RaiseOf(ibv_qp& qp, ibv_event_type type);
// What it stands for befalls the queue pair, and it is raised. With the sender's send_mutex held.
void Strike(FakeQp& qp, bool is_sender, ibv_event_type type);
// For the end of an object: none of its events is read any more. False: one that was read is not
// acknowledged.
bool ForgetEvents(ibv_context* context, const void* object, const EventCount& count);

// The data path, for context->ops.
int PostSend(ibv_qp* qp, ibv_send_wr* wr, ibv_send_wr** bad_wr);
int PostRecv(ibv_qp* qp, ibv_recv_wr* wr, ibv_recv_wr** bad_wr);
int PostSrqRecv(ibv_srq* srq, ibv_recv_wr* wr, ibv_recv_wr** bad_wr);
int PollCq(ibv_cq* cq, int most, ibv_wc* wc);
int RequestNotify(ibv_cq* cq, int solicited_only);

}  // namespace rdmabench::fake
