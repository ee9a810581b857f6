#include <cerrno>
#include <cstring>
#include <string>

#include "transport/fake_verbs_objects.h"

namespace rdmabench::fake {
namespace {

// What the kernel demands and allows of each transition, beside IBV_QP_STATE (its qp_state_table).
struct Transition {
  ibv_qp_type type;
  ibv_qp_state from, to;
  std::string_view call;
  int required;
  int optional;
};

constexpr int kInit = IBV_QP_PKEY_INDEX | IBV_QP_PORT;
constexpr int kRtr = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
constexpr int kRtrReliable = kRtr | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
constexpr int kRtrOptional = IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX;
constexpr int kRtsReliable =
    IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
constexpr int kRtsOptional =
    IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MIG_STATE;
constexpr std::string_view kToInit = "ibv_modify_qp:init";
constexpr std::string_view kToRtr = "ibv_modify_qp:rtr";
constexpr std::string_view kToRts = "ibv_modify_qp:rts";

constexpr Transition kTransitions[] = {
    {IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, kToInit, kInit | IBV_QP_ACCESS_FLAGS, 0},
    {IBV_QPT_UC, IBV_QPS_RESET, IBV_QPS_INIT, kToInit, kInit | IBV_QP_ACCESS_FLAGS, 0},
    {IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT, kToInit, kInit | IBV_QP_QKEY, 0},
    {IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR, kToRtr, kRtrReliable, kRtrOptional},
    {IBV_QPT_UC, IBV_QPS_INIT, IBV_QPS_RTR, kToRtr, kRtr, kRtrOptional},
    {IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_RTR, kToRtr, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
    {IBV_QPT_RC, IBV_QPS_RTR, IBV_QPS_RTS, kToRts, kRtsReliable,
     kRtsOptional | IBV_QP_MIN_RNR_TIMER},
    {IBV_QPT_UC, IBV_QPS_RTR, IBV_QPS_RTS, kToRts, IBV_QP_SQ_PSN, kRtsOptional},
    {IBV_QPT_UD, IBV_QPS_RTR, IBV_QPS_RTS, kToRts, IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY},
};

const Transition* FindTransition(ibv_qp_type type, ibv_qp_state from, ibv_qp_state to) {
  for (const Transition& row : kTransitions) {
    if (row.type == type && row.from == from && row.to == to) return &row;
  }
  return nullptr;
}

bool PathFits(const ibv_ah_attr& path, const DeviceState& device) {
  if (path.port_num != 1) return false;
  if (path.is_global != 0) return path.grh.sgid_index < device.gids.size();
  return !device.config.grh_required && device.config.link_layer != IBV_LINK_LAYER_ETHERNET;
}

// Values that hardware refuses.
bool ValuesFit(const ibv_qp_attr& attr, int mask, const DeviceState& device) {
  const auto set = [mask](int bit) { return (mask & bit) != 0; };
  return !(set(IBV_QP_PORT) && attr.port_num != 1) &&
         !(set(IBV_QP_PKEY_INDEX) && attr.pkey_index >= device.config.pkeys) &&
         !(set(IBV_QP_AV) && !PathFits(attr.ah_attr, device)) &&
         !(set(IBV_QP_PATH_MTU) &&
           (attr.path_mtu < IBV_MTU_256 || attr.path_mtu > device.config.active_mtu)) &&
         !(set(IBV_QP_MAX_QP_RD_ATOMIC) && attr.max_rd_atomic > kMaxReads) &&
         !(set(IBV_QP_MAX_DEST_RD_ATOMIC) && attr.max_dest_rd_atomic > kMaxReads) &&
         !(set(IBV_QP_RETRY_CNT) && attr.retry_cnt > 7) &&
         !(set(IBV_QP_RNR_RETRY) && attr.rnr_retry > 7) &&
         !(set(IBV_QP_TIMEOUT) && attr.timeout > 31) &&
         !(set(IBV_QP_MIN_RNR_TIMER) && attr.min_rnr_timer > 31);
}

void Merge(ibv_qp_attr& into, const ibv_qp_attr& from, int mask) {
  const auto take = [&](int bit, auto member) {
    if ((mask & bit) != 0) into.*member = from.*member;
  };
  take(IBV_QP_PKEY_INDEX, &ibv_qp_attr::pkey_index);
  take(IBV_QP_PORT, &ibv_qp_attr::port_num);
  take(IBV_QP_ACCESS_FLAGS, &ibv_qp_attr::qp_access_flags);
  take(IBV_QP_QKEY, &ibv_qp_attr::qkey);
  take(IBV_QP_AV, &ibv_qp_attr::ah_attr);
  take(IBV_QP_PATH_MTU, &ibv_qp_attr::path_mtu);
  take(IBV_QP_DEST_QPN, &ibv_qp_attr::dest_qp_num);
  take(IBV_QP_RQ_PSN, &ibv_qp_attr::rq_psn);
  take(IBV_QP_SQ_PSN, &ibv_qp_attr::sq_psn);
  take(IBV_QP_MAX_QP_RD_ATOMIC, &ibv_qp_attr::max_rd_atomic);
  take(IBV_QP_MAX_DEST_RD_ATOMIC, &ibv_qp_attr::max_dest_rd_atomic);
  take(IBV_QP_MIN_RNR_TIMER, &ibv_qp_attr::min_rnr_timer);
  take(IBV_QP_TIMEOUT, &ibv_qp_attr::timeout);
  take(IBV_QP_RETRY_CNT, &ibv_qp_attr::retry_cnt);
  take(IBV_QP_RNR_RETRY, &ibv_qp_attr::rnr_retry);
}

// With both mutexes held.
int Modify(FakeQp& qp, const ibv_qp_attr& attr, int mask) {
  if ((mask & IBV_QP_STATE) == 0) return EINVAL;
  const ibv_qp_state to = attr.qp_state;
  const int given = mask & ~IBV_QP_STATE;
  if (to == IBV_QPS_RESET || to == IBV_QPS_ERR) {
    if (given != 0) return EINVAL;
    if (to == IBV_QPS_RESET) {
      qp.Clear();
    } else {
      qp.BreakResponder();
      qp.FlushSends();
    }
  } else {
    const Transition* row = FindTransition(qp.qp_type, qp.now, to);
    if (row == nullptr) return EINVAL;
    if (const int code = TheWorld().FailureOf(row->call); code != 0) return code;
    if ((given & row->required) != row->required || (given & ~(row->required | row->optional)) ||
        !ValuesFit(attr, mask, qp.Device())) {
      return EINVAL;
    }
    Merge(qp.attr, attr, mask);
    qp.remote_access = qp.attr.qp_access_flags;
    qp.now = to;
  }
  qp.attr.qp_state = qp.state = to;
  qp.masks[to] = mask;
  return 0;
}

}  // namespace
}  // namespace rdmabench::fake

extern "C" {

int ibv_modify_qp(ibv_qp* qp, ibv_qp_attr* attr, int attr_mask) {
  auto* fake = static_cast<rdmabench::fake::FakeQp*>(qp);
  const int code = rdmabench::fake::TheWorld().FailureOf("ibv_modify_qp");
  if (code != 0) return code;
  const std::scoped_lock lock(fake->send_mutex, fake->recv_mutex);
  return rdmabench::fake::Modify(*fake, *attr, attr_mask);
}

int ibv_query_qp(ibv_qp* qp, ibv_qp_attr* attr, int, ibv_qp_init_attr* init_attr) {
  auto* fake = static_cast<rdmabench::fake::FakeQp*>(qp);
  const std::scoped_lock lock(fake->send_mutex, fake->recv_mutex);
  *attr = fake->attr;
  attr->qp_state = attr->cur_qp_state = fake->now;
  attr->cap = fake->cap;
  *init_attr = ibv_qp_init_attr{};
  init_attr->qp_context = qp->qp_context;
  init_attr->send_cq = qp->send_cq;
  init_attr->recv_cq = qp->recv_cq;
  init_attr->srq = qp->srq;
  init_attr->cap = fake->cap;
  init_attr->qp_type = qp->qp_type;
  init_attr->sq_sig_all = fake->signal_all ? 1 : 0;
  return 0;
}

}  // extern "C"
