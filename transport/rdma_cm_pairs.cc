#include "transport/rdma_cm_pairs.h"

#include <endian.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "transport/call_error.h"
#include "transport/device_info.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr CmService kServices[] = {
    {IBV_QPT_RC, RDMA_PS_TCP, true},
    {IBV_QPT_UD, RDMA_PS_UDP, false},
};

const CmService* FindService(const QpType& type) {
  const auto* found = std::find_if(std::begin(kServices), std::end(kServices),
                                   [&](const CmService& row) { return row.type == type.verbs; });
  return found == std::end(kServices) ? nullptr : found;
}

// CmHello on the wire.
struct [[gnu::packed]] Packed {
  std::uint64_t token;
  std::uint32_t index, qpn, qkey;
};
static_assert(sizeof(Packed) == sizeof(CmHelloBytes));
static_assert(sizeof(Packed) <= sizeof(CmEvent::private_data));

// " (192.168.77.2 to 192.168.77.1)".
std::string WayOf(rdma_cm_id* id) {
  return " (" + CmAddressText(rdma_get_local_addr(id)) + " to " +
         CmAddressText(rdma_get_peer_addr(id)) + ")";
}

}  // namespace

const CmService& CmServiceOf(const CmOptions& options) {
  assert(options.type != nullptr);
  if (const CmService* service = FindService(*options.type)) return *service;
  throw Error(Blame::kUsage,
              "rdma_cm cannot connect " + std::string(options.type->name) + " queue pairs",
              "use rc or ud, or connect without rdma_cm");
}

CmHelloBytes WriteCmHello(const CmHello& hello) {
  const Packed packed = {htobe64(hello.token), htobe32(hello.index), htobe32(hello.qpn),
                         htobe32(hello.qkey)};
  return std::bit_cast<CmHelloBytes>(packed);
}

CmHello ReadCmHello(const CmEvent& event) {
  Packed packed{};
  std::memcpy(&packed, event.private_data.data(), sizeof packed);
  return {be64toh(packed.token), be32toh(packed.index), be32toh(packed.qpn), be32toh(packed.qkey)};
}

void ThrowCmWithdrawn(int code, std::string_view attempted) {
  throw Error(Blame::kRun, WithReason(attempted, code),
              "the usual cause is that the peer has given up meanwhile; see what it says");
}

CmPairs::CmPairs(std::span<ibv_qp* const> qps, const CmOptions& options)
    : qps_(qps), options_(options), service_(CmServiceOf(options)) {
  assert(!qps.empty());
}

std::string CmPairs::NameOf(std::size_t index) const {
  if (index >= qps_.size()) {
    return "all " + std::to_string(qps_.size()) + " " + std::string(options_.type->name) +
           " queue pairs";
  }
  return std::string(options_.type->name) + " queue pair " + std::to_string(index + 1) + " of " +
         std::to_string(qps_.size());
}

void CmPairs::CheckDevice(rdma_cm_id* id) const {
  if (id->verbs == nullptr) return;
  const std::string cm_device = ibv_get_device_name(id->verbs->device);
  const std::string our_device = ibv_get_device_name(qps_.front()->context->device);
  if (cm_device == our_device) return;
  throw Error(Blame::kEnvironment,
              "rdma_cm takes " + cm_device + " for the address " +
                  CmAddressText(rdma_get_local_addr(id)) + ", and the queue pairs belong to " +
                  our_device,
              "use that device (-d), or an address of this one's network interface (rdma link)");
}

ibv_qp_attr CmPairs::AttributesOf(std::size_t index, rdma_cm_id* id, ibv_qp_state state,
                                  int* mask) const {
  ibv_qp_attr attr{};
  attr.qp_state = state;
  if (rdma_init_qp_attr(id, &attr, mask) != 0) {
    ThrowCmWithdrawn(errno, "cannot get rdma_cm's attributes for " + NameOf(index) + WayOf(id));
  }
  return attr;
}

void CmPairs::Modify(std::size_t index, rdma_cm_id* id, ibv_qp_attr attr, int mask,
                     std::string_view to) const {
  const int code = ibv_modify_qp(qps_[index], &attr, mask);
  if (code == 0) return;
  ThrowCall(attr.qp_state == IBV_QPS_RTS ? "ibv_modify_qp:rts" : "ibv_modify_qp:rtr", code,
            {.attempted = "cannot bring " + NameOf(index) + " to " + std::string(to) +
                          " with rdma_cm's attributes" + WayOf(id)});
}

std::uint32_t CmPairs::MoveToInit(std::size_t index, rdma_cm_id* id) const {
  int mask = 0;
  const ibv_qp_attr attr = AttributesOf(index, id, IBV_QPS_INIT, &mask);
  mask &= ~IBV_QP_ACCESS_FLAGS;  // these are the test's to say, and were said
  ibv_qp_attr now{};
  ibv_qp_init_attr unused{};
  Check(ibv_query_qp(qps_[index], &now, mask, &unused), "cannot query " + NameOf(index));
  const bool same_key = (mask & IBV_QP_QKEY) == 0 || now.qkey == attr.qkey;
  if (!same_key || now.port_num != attr.port_num || now.pkey_index != attr.pkey_index) {
    Modify(index, id, attr, mask, "INIT");
  }
  return attr.qkey;
}

CmPeer CmPairs::MoveToRts(std::size_t index, rdma_cm_id* id) const {
  const QpAttributes& ours = options_.attributes;
  int rtr_mask = options_.type->rtr_mask;
  int rts_mask = options_.type->rts_mask;
  ibv_qp_attr rtr{};
  ibv_qp_attr rts{};
  if (service_.connected) {
    rtr = AttributesOf(index, id, IBV_QPS_RTR, &rtr_mask);
    rts = AttributesOf(index, id, IBV_QPS_RTS, &rts_mask);
  }
  rtr.qp_state = IBV_QPS_RTR;
  rtr.path_mtu = std::min(rtr.path_mtu, MtuFromBytes(options_.mtu_bytes));
  rtr.min_rnr_timer = ours.min_rnr_timer;
  rtr.max_dest_rd_atomic = std::min(rtr.max_dest_rd_atomic, ours.read_depth);
  Modify(index, id, rtr, rtr_mask, "RTR");
  rts.qp_state = IBV_QPS_RTS;
  rts.timeout = ours.timeout;
  rts.retry_cnt = ours.retry_count;
  rts.rnr_retry = ours.rnr_retry;
  rts.max_rd_atomic = std::min(rts.max_rd_atomic, ours.read_depth);
  Modify(index, id, rts, rts_mask, "RTS");
  if (!service_.connected) return {};
  return {.qpn = rtr.dest_qp_num, .qkey = 0, .path = rtr.ah_attr};
}

rdma_conn_param CmPairs::Parameters(std::uint32_t qpn, std::uint8_t responder_resources,
                                    std::uint8_t initiator_depth) const {
  const QpAttributes& ours = options_.attributes;
  rdma_conn_param param{};
  param.responder_resources = std::min(responder_resources, ours.read_depth);
  param.initiator_depth = std::min(initiator_depth, ours.read_depth);
  param.flow_control = 1;
  param.retry_count = ours.retry_count;
  param.rnr_retry_count = ours.rnr_retry;
  param.qp_num = qpn;
  return param;
}

}  // namespace rdmabench
