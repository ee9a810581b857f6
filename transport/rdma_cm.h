// Connecting our own queue pairs by rdma_cm, which finds the way between two IP addresses and
// exchanges what both sides have to know. The queue pairs stay ours: made elsewhere, in INIT, and
// bare of any rdma_cm identifier; rdma_cm supplies only the attributes.
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "transport/deadline.h"
#include "transport/rdma_cm_channel.h"
#include "transport/rdma_cm_pairs.h"

namespace rdmabench {

// Says goodbye to the peer when it ends: tells it, waits for a moment until it has answered, and
// forgets the connections. It neither needs nor touches the queue pairs, so it may die before or
// after them; before is better (make it after the endpoint), as then nobody else can be given a
// queue pair number that the peer still takes for connected.
class CmConnections {
 public:
  CmConnections(CmChannel channel, std::vector<CmId> ids, std::vector<CmPeer> peers);
  CmConnections(CmConnections&&) noexcept = default;
  CmConnections& operator=(CmConnections&&) = delete;
  ~CmConnections();

  // In the order in which the queue pairs were given.
  std::span<const CmPeer> peers() const { return peers_; }

 private:
  CmChannel channel_;  // outlives its ids
  std::vector<CmId> ids_;
  std::vector<CmPeer> peers_;
};

// Where the accepting side waits. The session tells it to the connecting side, which puts in its
// own name for the address if that is link-local: the zone (fe80::1%eth1) is each side's own. The
// random token keeps out whoever has not heard it there.
struct CmDoor {
  std::string ip;
  std::uint16_t port = 0;
  std::uint64_t token = 0;
};

// The accepting side, which listens from here on.
class CmListener {
 public:
  // On a port of the system's choice at `ip`, which has to be the address of an RDMA device's
  // network interface (not 127.0.0.1). Throws Error(kEnvironment), Error(kUsage) when the type
  // cannot be connected by rdma_cm.
  CmListener(const std::string& ip, const CmOptions& options);

  const CmDoor& door() const { return door_; }

  // Returns when every queue pair is connected, or throws: Error(kRun) at the deadline or when the
  // peer goes away, Error(kInterrupted) soon after `give_up` becomes true, Error(kEnvironment).
  // Requests without the token are turned away and do no harm. There has to be at least one queue
  // pair; they have to be in INIT and are in RTS afterwards, ud ones with the Q_Key RDMA_UDP_QKEY.
  CmConnections Accept(std::span<ibv_qp* const> qps, Deadline deadline,
                       const std::atomic<bool>& give_up) &&;

 private:
  CmOptions options_;
  CmChannel channel_;  // outlives the id
  CmId id_;
  CmDoor door_;
};

// The connecting side; the peer has as many queue pairs, and the ones of the same index are
// connected to each other. Many connect at once; what may pass (no answer yet, no resources) is
// tried again until the deadline. Throws as Accept() does.
CmConnections CmConnect(const CmDoor& door, std::span<ibv_qp* const> qps, const CmOptions& options,
                        Deadline deadline, const std::atomic<bool>& give_up);

}  // namespace rdmabench
