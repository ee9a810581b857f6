// Which queue pair a request reaches.
#include <cstring>

#include "transport/fake_verbs_objects.h"

namespace rdmabench::fake {
namespace {

// The network: by GID of equal type, or by LID.
bool Reaches(const DeviceState& from, const ibv_ah_attr& path, const DeviceState& to) {
  if (path.is_global == 0) return path.dlid != 0 && path.dlid == to.config.lid;
  const int type = from.config.gids[path.grh.sgid_index].type;
  for (std::size_t i = 0; i < to.gids.size(); ++i) {
    if (to.config.gids[i].type == type &&
        std::memcmp(to.gids[i].raw, path.grh.dgid.raw, sizeof path.grh.dgid.raw) == 0) {
      return true;
    }
  }
  return false;
}

std::shared_ptr<FakeQp> Resolve(const FakeQp& qp, std::uint32_t qpn, const ibv_ah_attr& path) {
  std::shared_ptr<FakeQp> peer = TheWorld().FindQp(qpn);
  if (peer == nullptr || peer->qp_type != qp.qp_type ||
      !Reaches(qp.Device(), path, peer->Device())) {
    return nullptr;
  }
  if (qp.qp_type == IBV_QPT_UD) return peer;
  const std::lock_guard lock(peer->recv_mutex);
  const bool connected = peer->attr.dest_qp_num == qp.qp_num && peer->attr.rq_psn == qp.attr.sq_psn;
  return connected && CanReceive(*peer) ? peer : nullptr;
}

}  // namespace

bool CanReceive(const FakeQp& qp) {
  const ibv_qp_state now = qp.now;
  return now == IBV_QPS_RTR || now == IBV_QPS_RTS;
}

FakeQp* FindPeer(FakeQp& qp, const ibv_send_wr& wr) {
  const bool datagram = qp.qp_type == IBV_QPT_UD;
  const std::uint32_t qpn = datagram ? wr.wr.ud.remote_qpn : qp.attr.dest_qp_num;
  if (qp.peer == nullptr || qp.peer->qp_num != qpn) {
    qp.peer =
        Resolve(qp, qpn, datagram ? static_cast<FakeAh*>(wr.wr.ud.ah)->attr : qp.attr.ah_attr);
  }
  return qp.peer != nullptr && CanReceive(*qp.peer) ? qp.peer.get() : nullptr;
}

bool IsUp(const FakeQp& qp) { return qp.Device().port_state == IBV_PORT_ACTIVE; }

}  // namespace rdmabench::fake
