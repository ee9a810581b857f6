// All that differs between queue pair types, one row each; and every queue pair attribute with its
// default.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rdmabench {

// Where a work request goes: the peer's memory and, for ud, its queue pair.
struct Target {
  std::uint64_t addr = 0;
  std::uint32_t rkey = 0;
  ibv_ah* ah = nullptr;
  std::uint32_t qpn = 0;
  std::uint32_t qkey = 0;
};

using OdpCaps = decltype(ibv_odp_caps::per_transport_caps);

struct QpType {
  std::string_view name;  // "rc"
  ibv_qp_type verbs;
  // IBV_QP_* that each transition sets.
  int init_mask, rtr_mask, rts_mask;
  std::uint32_t
      recv_headroom;  // bytes that precede the payload in a receive buffer: 40 for ud, the GRH
  void (*address)(ibv_send_wr&, const Target&);  // ud: handle, qpn, qkey; rc, uc: nothing
  bool loses;                                    // a message may get lost, and nobody is told
  bool has_rdma_cm;                              // rdma_cm has a service for it
  std::uint32_t OdpCaps::*odp_caps;  // where a device says what it pages on demand for it

  // A message is one packet.
  bool OneMtuAMessage() const { return verbs == IBV_QPT_UD; }
};

std::span<const QpType> QpTypes();
// In either case ("RC", "rc"). Throws Error(kUsage) naming the known ones.
const QpType& FindQpType(std::string_view name);

// Every attribute of a queue pair that a user may set, with its default; endpoint.cc
// and rdma_cm_pairs.cc are the only readers.
struct QpAttributes {
  std::uint8_t service_level = 0;
  std::uint8_t traffic_class = 0;
  std::vector<std::uint32_t> flow_labels = {0};  // dealt over the queue pairs
  std::uint8_t hop_limit = 64;
  std::uint16_t pkey_index = 0;
  std::uint8_t timeout = 14;  // 4.096 µs × 2^14 = 67 ms per try (IBTA 9.7.6.1.3); 0 waits for ever
  std::uint8_t retry_count = 7;     // tries before a transport error; 3 bits, 7 is the most
  std::uint8_t rnr_retry = 6;       // 7 would retry for ever, and a run must end
  std::uint8_t min_rnr_timer = 12;  // 0.64 ms (IBTA table 45)
  // Outstanding READs and atomics, as initiator and as target.
  std::uint8_t read_depth = 1;
  std::uint32_t qkey = 0x11111111;  // ud
};

}  // namespace rdmabench
