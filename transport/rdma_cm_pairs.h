// The queue pairs of one side, what it says of them, and their way from INIT to RTS with the
// attributes that rdma_cm supplies.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "transport/qp_type.h"
#include "transport/rdma_cm_channel.h"

namespace rdmabench {

struct CmOptions {
  const QpType* type = nullptr;
  // Of these, timeout, retry_count, rnr_retry, min_rnr_timer and read_depth are ours to say. The
  // path (service level, traffic class, flow label, hop limit), the partition and ud's Q_Key are
  // rdma_cm's.
  QpAttributes attributes;
  std::uint32_t mtu_bytes = 4096;  // at most; rdma_cm's path may have less

  // Of the connecting side only.
  // Empty: the routing table's choice. The text of a GID of the queue pairs' device will do, also
  // for the listener: it keeps rdma_cm to that device.
  std::string source_ip;
  // IP's type of service, from which the kernel makes the traffic class and the service level; for
  // rc in both directions. Absent: the system's default.
  std::optional<std::uint8_t> type_of_service;
};

// The other end of one queue pair.
struct CmPeer {
  std::uint32_t qpn = 0;
  std::uint32_t qkey = 0;  // ud
  // The way there. Absent on the accepting side of ud: a datagram service is asked by one side and
  // answered by the other, and only the asking one learns a path. The answering one makes it from
  // the GIDs (or LIDs) that the session has told.
  std::optional<ibv_ah_attr> path;
};

// What rdma_cm calls a port space.
struct CmService {
  ibv_qp_type type;
  rdma_port_space port_space;
  // Both sides come to know of each other's readiness; else one asks, the other answers, and that
  // is all.
  bool connected;
};

// Throws Error(kUsage) when there is none for the type.
const CmService& CmServiceOf(const CmOptions& options);

// What a request carries as private data.
struct CmHello {
  std::uint64_t token;
  std::uint32_t index;  // past the end: a datagram service's farewell
  std::uint32_t qpn;
  std::uint32_t qkey;
};
// In network byte order, without gaps.
using CmHelloBytes = std::array<std::byte, 20>;

CmHelloBytes WriteCmHello(const CmHello& hello);
CmHello ReadCmHello(const CmEvent& event);

// For what fails between a request and its answer. Either may be withdrawn before it is taken up,
// and the kernel says no more than EINVAL then.
[[noreturn]] void ThrowCmWithdrawn(int code, std::string_view attempted);

// The queue pairs of one side, and the ways in which rdma_cm moves them.
class CmPairs {
 public:
  // At least one; what is given has to outlive it. Throws Error(kUsage) when the type cannot be
  // connected.
  CmPairs(std::span<ibv_qp* const> qps, const CmOptions& options);

  std::size_t size() const { return qps_.size(); }
  const CmService& service() const { return service_; }
  std::uint32_t QpnOf(std::size_t index) const { return qps_[index]->qp_num; }
  // "rc queue pair 3 of 256"; an index past the end names all of them.
  std::string NameOf(std::size_t index) const;
  // Throws Error(kEnvironment) when rdma_cm's device is another than the queue pairs'.
  void CheckDevice(rdma_cm_id* id) const;
  // Sets the port, the partition and the Q_Key that go with the id's address, where they differ.
  // Returns the Q_Key.
  std::uint32_t MoveToInit(std::size_t index, rdma_cm_id* id) const;
  // Returns what the transitions tell of the peer.
  CmPeer MoveToRts(std::size_t index, rdma_cm_id* id) const;
  // What a side says of itself; the depths are the most that the peer can make use of.
  rdma_conn_param Parameters(std::uint32_t qpn, std::uint8_t responder_resources,
                             std::uint8_t initiator_depth) const;

 private:
  ibv_qp_attr AttributesOf(std::size_t index, rdma_cm_id* id, ibv_qp_state state, int* mask) const;
  void Modify(std::size_t index, rdma_cm_id* id, ibv_qp_attr attr, int mask,
              std::string_view to) const;

  std::span<ibv_qp* const> qps_;
  const CmOptions& options_;
  const CmService& service_;
};

}  // namespace rdmabench
