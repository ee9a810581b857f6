// Everything that one worker owns toward one peer, in the order it must die.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/device.h"
#include "transport/handle.h"
#include "transport/memory.h"
#include "transport/peer_info.h"
#include "transport/qp_type.h"

namespace rdmabench {

struct EndpointOptions {
  const QpType* type = nullptr;
  int port = 1;
  std::optional<Gid> gid;  // absent: addressed by LID alone
  std::uint32_t mtu_bytes = 1024;
  std::uint32_t queue_pairs = 1;
  std::uint32_t send_depth = 128;
  std::uint32_t recv_depth = 1;  // of each queue pair, or of the queue that all share
  bool use_srq = false;
  bool events = false;  // a completion channel for all completion queues
  std::uint32_t completion_vector = 0;
  // At least this many bytes inline, or refuse (exact); without a value: as many of `inline_wish`
  // as the device grants.
  std::optional<std::uint32_t> inline_bytes;
  std::uint32_t inline_wish = 0;
  QpAttributes attributes;

  const MemoryKind* memory_kind = nullptr;
  std::string memory_argument = {};
  // Endpoints of this side that have memory of this kind beside this one, and where this one's lies
  // in a file that all share.
  std::uint32_t memory_others = 0;
  std::uint64_t memory_file_offset = 0;
  // IBV_ODP_SUPPORT_* of the requests that reach memory of this side.
  std::uint32_t odp_requests = 0;
  bool mr_per_qp = false;  // each queue pair names the memory by a key of its own
  // The part that only this side's requests name, and behind it the part that the peer is told of
  // or that receive requests fill.
  std::size_t own_bytes = 0;
  std::size_t exposed_bytes = 0;
  std::optional<unsigned> numa_node;
  int access = 0;  // IBV_ACCESS_REMOTE_* that the op needs on this side
  bool relaxed_ordering = false;
};

// The device has to outlive it.
class Endpoint {
 public:
  // Queue pairs in INIT. Completion queues hold every request of their queue pairs, signalled or
  // not, so that the flush after a failure never overruns one; where one queue would need more than
  // max_cqe there are several, and queue pairs are dealt in runs. Throws Error(kEnvironment) naming
  // the limit, the number asked and the number allowed.
  Endpoint(const Device& device, const EndpointOptions& options);

  PeerInfo Local() const;
  // INIT → RTR → RTS for every queue pair; address handles for ud. Throws Error(kEnvironment), with
  // both GIDs (or LIDs), the MTU and the system's words.
  void Connect(const PeerInfo& remote);
  // The same for queue pairs that something else has connected (rdma_cm); address handles for ud,
  // whose requests carry `qkey`.
  void Adopt(const PeerInfo& remote, std::uint32_t qkey);

  std::span<const Qp> queue_pairs() const { return qps_; }
  std::span<const Cq> send_cqs() const { return send_cqs_; }
  std::span<const Cq> recv_cqs() const { return recv_cqs_; }
  // Null where every queue pair has receive requests of its own.
  ibv_srq* srq() const { return srq_.get(); }
  // Null without events.
  ibv_comp_channel* channel() const { return channel_.get(); }
  // Where a request of queue pair `index` goes: address and key of what the peer exposes.
  Target TargetOf(std::uint32_t index) const;
  const MemoryRegion& memory() const { return memory_; }
  std::uint64_t own_addr() const { return memory_.addr(); }
  std::uint64_t exposed_addr() const { return memory_.addr() + options_.own_bytes; }
  std::byte* own_data() const { return memory_.data(); }
  // Null, as own_data(), where memory has no address.
  std::byte* exposed_data() const {
    return memory_.data() == nullptr ? nullptr : memory_.data() + options_.own_bytes;
  }
  std::uint32_t inline_bytes() const { return inline_bytes_; }  // granted
  const QpAttributes& attributes() const { return options_.attributes; }

 private:
  void MakeAddressHandles(const PeerInfo& remote);

  EndpointOptions options_;
  std::uint16_t lid_ = 0;
  Pd pd_;
  MemoryRegion memory_;
  CompletionChannel channel_;
  std::vector<Cq> send_cqs_;
  std::vector<Cq> recv_cqs_;
  Srq srq_;
  std::vector<Ah> ahs_;  // one for each flow label
  std::vector<Qp> qps_;  // last: dies first
  std::vector<std::uint32_t> psns_;
  std::uint32_t inline_bytes_ = 0;
  PeerInfo remote_;
};

}  // namespace rdmabench
