// Everything that one worker owns toward one peer, in the order it must die.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <optional>
#include <span>
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
  std::uint32_t recv_depth = 1;
  // At least this many bytes inline, or refuse (exact); without a value: as many of `inline_wish`
  // as the device grants.
  std::optional<std::uint32_t> inline_bytes;
  std::uint32_t inline_wish = 0;
  QpAttributes attributes;

  const MemoryKind* memory_kind = nullptr;
  std::size_t memory_bytes = 0;
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

  std::span<const Qp> queue_pairs() const { return qps_; }
  std::span<const Cq> send_cqs() const { return send_cqs_; }
  std::span<const Cq> recv_cqs() const { return recv_cqs_; }
  // Where a request of queue pair `index` goes: address and key of the whole peer region.
  Target TargetOf(std::uint32_t index) const;
  const MemoryRegion& memory() const { return memory_; }
  std::uint32_t inline_bytes() const { return inline_bytes_; }  // granted

 private:
  EndpointOptions options_;
  std::uint16_t lid_ = 0;
  Pd pd_;
  MemoryRegion memory_;
  std::vector<Cq> send_cqs_;
  std::vector<Cq> recv_cqs_;
  std::vector<Ah> ahs_;
  std::vector<Qp> qps_;  // last: dies first
  std::vector<std::uint32_t> psns_;
  std::uint32_t inline_bytes_ = 0;
  PeerInfo remote_;
};

}  // namespace rdmabench
