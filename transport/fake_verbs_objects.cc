#include "transport/fake_verbs_objects.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

// The header's macro of this name leads elsewhere.
#undef ibv_reg_mr

namespace rdmabench::fake {
namespace {

// Different low bytes, so that a key used in the other's place is noticed.
constexpr std::uint32_t kLkeyMark = 0x11;
constexpr std::uint32_t kRkeyMark = 0x99;

template <class Object>
Object* Born(std::unique_ptr<Object> object, std::atomic<int>* parent) {
  if (parent != nullptr) ++*parent;
  ++TheWorld().live;
  return object.release();
}

template <class Object>
void Dead(Object* object, std::atomic<int>* parent) {
  if (parent != nullptr) --*parent;
  --TheWorld().live;
  delete object;
}

std::atomic<int>* ChildrenOf(ibv_context* context) {
  return &static_cast<FakeContext*>(context)->children;
}

std::atomic<int>* ChildrenOf(ibv_pd* pd) { return &static_cast<FakePd*>(pd)->children; }

ibv_mr* Register(ibv_pd* pd, void* addr, std::size_t length, int access, int failure) {
  if (Refused(failure)) return nullptr;
  constexpr int kRemoteWrites = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  if (length == 0 || ((access & kRemoteWrites) != 0 && (access & IBV_ACCESS_LOCAL_WRITE) == 0)) {
    errno = EINVAL;
    return nullptr;
  }
  auto mr = std::make_shared<FakeMr>();
  mr->context = pd->context;
  mr->pd = pd;
  mr->addr = addr;
  mr->base = reinterpret_cast<std::uintptr_t>(addr);
  mr->length = length;
  mr->access = access;
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  mr->handle = world.next_key++;
  mr->lkey = mr->handle << 8 | kLkeyMark;
  mr->rkey = mr->handle << 8 | kRkeyMark;
  world.mrs[mr->handle] = mr;
  ++*ChildrenOf(pd);
  ++world.live;
  return mr.get();
}

bool FitsDevice(const ibv_qp_init_attr& attr, const FakeDevice& device) {
  const ibv_qp_cap& cap = attr.cap;
  const bool known =
      attr.qp_type == IBV_QPT_RC || attr.qp_type == IBV_QPT_UC || attr.qp_type == IBV_QPT_UD;
  return known && attr.send_cq != nullptr && attr.recv_cq != nullptr &&
         cap.max_send_wr <= device.max_qp_wr && cap.max_recv_wr <= device.max_qp_wr &&
         cap.max_send_sge <= kMaxSge && cap.max_recv_sge <= kMaxSge &&
         cap.max_inline_data <= device.max_inline;
}

std::shared_ptr<FakeQp> MakeQp(ibv_pd* pd, const ibv_qp_init_attr& init) {
  auto qp = std::make_shared<FakeQp>();
  qp->context = pd->context;
  qp->qp_context = init.qp_context;
  qp->pd = pd;
  qp->send_cq = init.send_cq;
  qp->recv_cq = init.recv_cq;
  qp->srq = init.srq;
  qp->state = IBV_QPS_RESET;
  qp->qp_type = init.qp_type;
  qp->cap = init.cap;
  qp->signal_all = init.sq_sig_all != 0;
  qp->mtu_bytes = std::uint32_t{128} << static_cast<unsigned>(qp->Device().config.active_mtu);
  qp->stalled.reserve(init.cap.max_send_wr);
  if (init.srq == nullptr) qp->own_receives.Resize(init.cap.max_recv_wr, init.cap.max_recv_sge);
  return qp;
}

}  // namespace
}  // namespace rdmabench::fake

using namespace rdmabench::fake;

extern "C" {

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  if (Refused(TheWorld().FailureOf("ibv_alloc_pd"))) return nullptr;
  auto pd = std::make_unique<FakePd>();
  pd->context = context;
  return Born(std::move(pd), ChildrenOf(context));
}

int ibv_dealloc_pd(ibv_pd* pd) {
  auto* fake = static_cast<FakePd*>(pd);
  if (fake->children != 0) return EBUSY;
  Dead(fake, ChildrenOf(pd->context));
  return 0;
}

ibv_mr* ibv_reg_mr(ibv_pd* pd, void* addr, std::size_t length, int access) {
  return Register(pd, addr, length, access, TheWorld().FailureOf("ibv_reg_mr"));
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* addr, std::size_t length, std::uint64_t iova,
                         unsigned access) {
  if (iova != reinterpret_cast<std::uintptr_t>(addr)) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  // The header's macro makes one of the two out of ibv_reg_mr, so they have one name for faults.
  return Register(pd, addr, length, static_cast<int>(access), TheWorld().FailureOf("ibv_reg_mr"));
}

// The bytes are those at `iova`; the descriptor only has to be one, which is looked at before the
// device is asked, as in the kernel.
ibv_mr* ibv_reg_dmabuf_mr(ibv_pd* pd, std::uint64_t offset, std::size_t length, std::uint64_t iova,
                          int fd, int access) {
  const int failure = fcntl(fd, F_GETFD) < 0 ? EINVAL : TheWorld().FailureOf("ibv_reg_dmabuf_mr");
  // NOLINTNEXTLINE(performance-no-int-to-ptr): verbs carry addresses as integers.
  ibv_mr* mr = Register(pd, reinterpret_cast<void*>(iova), length, access, failure);
  // As libibverbs has it.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (mr != nullptr) mr->addr = reinterpret_cast<void*>(offset);
  return mr;
}

int ibv_dereg_mr(ibv_mr* mr) {
  auto* fake = static_cast<FakeMr*>(mr);
  std::shared_ptr<FakeMr> last = TheWorld().FindMr(mr->lkey);
  if (last.get() != fake) return EINVAL;
  {
    const std::lock_guard lock(fake->mutex);
    fake->alive = false;
  }
  const std::lock_guard lock(TheWorld().mutex);
  TheWorld().mrs.erase(mr->handle);
  --*ChildrenOf(mr->pd);
  --TheWorld().live;
  return 0;
}

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  if (Refused(TheWorld().FailureOf("ibv_create_comp_channel"))) return nullptr;
  int fds[2] = {};
  if (pipe2(fds, O_CLOEXEC) != 0) return nullptr;
  auto channel = std::make_unique<FakeChannel>();
  channel->context = context;
  channel->fd = fds[0];
  channel->write_fd = fds[1];
  return Born(std::move(channel), ChildrenOf(context));
}

int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  auto* fake = static_cast<FakeChannel*>(channel);
  if (fake->refcnt != 0) return EBUSY;
  close(fake->fd);
  close(fake->write_fd);
  Dead(fake, ChildrenOf(channel->context));
  return 0;
}

int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context) {
  FakeCq* event = nullptr;
  if (read(channel->fd, &event, kEventBytes) != kEventBytes) return -1;
  *cq = event;
  *cq_context = event->cq_context;
  return 0;
}

void ibv_ack_cq_events(ibv_cq* cq, unsigned nevents) { cq->comp_events_completed += nevents; }

ibv_cq* ibv_create_cq(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                      int comp_vector) {
  if (Refused(TheWorld().FailureOf("ibv_create_cq"))) return nullptr;
  const FakeDevice& device = static_cast<FakeContext*>(context)->state->config;
  if (cqe < 1 || static_cast<std::uint32_t>(cqe) > device.max_cqe || comp_vector != 0) {
    errno = EINVAL;
    return nullptr;
  }
  auto cq = std::make_unique<FakeCq>();
  cq->context = context;
  cq->channel = channel;
  cq->cq_context = cq_context;
  cq->cqe = cqe;
  cq->ring.resize(static_cast<std::size_t>(cqe));
  if (channel != nullptr) ++channel->refcnt;
  return Born(std::move(cq), ChildrenOf(context));
}

int ibv_destroy_cq(ibv_cq* cq) {
  auto* fake = static_cast<FakeCq*>(cq);
  if (fake->users != 0 || !ForgetEvents(cq->context, cq, fake->events)) return EBUSY;
  if (cq->channel != nullptr) --cq->channel->refcnt;
  Dead(fake, ChildrenOf(cq->context));
  return 0;
}

ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* init) {
  World& world = TheWorld();
  if (Refused(world.FailureOf("ibv_create_qp"))) return nullptr;
  const FakeDevice& device = static_cast<FakeContext*>(pd->context)->state->config;
  if (!FitsDevice(*init, device) || (init->srq != nullptr && init->srq->pd != pd)) {
    errno = EINVAL;
    return nullptr;
  }
  std::shared_ptr<FakeQp> qp = MakeQp(pd, *init);
  const std::lock_guard lock(world.mutex);
  if (world.qps.size() >= device.max_qp) {
    errno = ENOMEM;
    return nullptr;
  }
  qp->qp_num = qp->handle = world.next_qpn++;
  world.qps[qp->qp_num] = qp;
  ++qp->SendCq().users;
  ++qp->RecvCq().users;
  if (qp->srq != nullptr) ++qp->Srq()->users;
  ++*ChildrenOf(pd);
  ++world.live;
  return qp.get();
}

int ibv_destroy_qp(ibv_qp* qp) {
  std::shared_ptr<FakeQp> fake = TheWorld().FindQp(qp->qp_num);
  if (fake.get() != qp) return EINVAL;
  if (!ForgetEvents(qp->context, qp, fake->events)) return EBUSY;
  {
    // From here on nobody delivers to it, though a peer may still hold its memory.
    const std::scoped_lock lock(fake->send_mutex, fake->recv_mutex);
    fake->Clear();
  }
  --fake->SendCq().users;
  --fake->RecvCq().users;
  if (qp->srq != nullptr) --fake->Srq()->users;
  const std::lock_guard lock(TheWorld().mutex);
  TheWorld().qps.erase(qp->qp_num);
  --*ChildrenOf(qp->pd);
  --TheWorld().live;
  return 0;
}

ibv_srq* ibv_create_srq(ibv_pd* pd, ibv_srq_init_attr* init) {
  if (Refused(TheWorld().FailureOf("ibv_create_srq"))) return nullptr;
  const FakeDevice& device = static_cast<FakeContext*>(pd->context)->state->config;
  if (init->attr.max_wr < 1 || init->attr.max_wr > device.max_srq_wr ||
      init->attr.max_sge > kMaxSge) {
    errno = EINVAL;
    return nullptr;
  }
  auto srq = std::make_unique<FakeSrq>();
  srq->context = pd->context;
  srq->srq_context = init->srq_context;
  srq->pd = pd;
  srq->queue.Resize(init->attr.max_wr, init->attr.max_sge);
  return Born(std::move(srq), ChildrenOf(pd));
}

int ibv_destroy_srq(ibv_srq* srq) {
  auto* fake = static_cast<FakeSrq*>(srq);
  if (fake->users != 0 || !ForgetEvents(srq->context, srq, fake->events)) return EBUSY;
  Dead(fake, ChildrenOf(srq->pd));
  return 0;
}

ibv_ah* ibv_create_ah(ibv_pd* pd, ibv_ah_attr* attr) {
  if (Refused(TheWorld().FailureOf("ibv_create_ah"))) return nullptr;
  const DeviceState& device = *static_cast<FakeContext*>(pd->context)->state;
  const bool needs_global =
      device.config.grh_required || device.config.link_layer == IBV_LINK_LAYER_ETHERNET;
  if (attr->port_num != 1 || (needs_global && attr->is_global == 0) ||
      (attr->is_global != 0 && attr->grh.sgid_index >= device.gids.size())) {
    errno = EINVAL;
    return nullptr;
  }
  auto ah = std::make_unique<FakeAh>();
  ah->context = pd->context;
  ah->pd = pd;
  ah->attr = *attr;
  return Born(std::move(ah), ChildrenOf(pd));
}

int ibv_destroy_ah(ibv_ah* ah) {
  Dead(static_cast<FakeAh*>(ah), ChildrenOf(ah->pd));
  return 0;
}

}  // extern "C"
