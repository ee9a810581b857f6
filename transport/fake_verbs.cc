#include "transport/fake_verbs.h"

#include <arpa/inet.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "transport/fake_verbs_objects.h"

// The header's macros of these names lead elsewhere.
#undef ibv_get_device_list
#undef ibv_query_port

namespace rdmabench::fake {
namespace {

constexpr int kEmptyGidEntries = 2;

std::unique_ptr<DeviceState> MakeDevice(FakeDevice config) {
  auto state = std::make_unique<DeviceState>();
  ibv_device& handle = state->handle;
  handle.node_type = IBV_NODE_CA;
  handle.transport_type = IBV_TRANSPORT_IB;
  std::snprintf(handle.name, sizeof handle.name, "%s", config.name.c_str());
  std::snprintf(handle.dev_name, sizeof handle.dev_name, "uverbs_%.50s", config.name.c_str());
  for (const FakeGid& gid : config.gids) {
    ibv_gid raw{};
    [[maybe_unused]] const int parsed = inet_pton(AF_INET6, gid.text.c_str(), raw.raw);
    assert(parsed == 1);
    state->gids.push_back(raw);
  }
  state->port_state = config.state;
  state->config = std::move(config);
  return state;
}

const DeviceState& StateOf(ibv_context* context) {
  return *static_cast<FakeContext*>(context)->state;
}

}  // namespace

World& TheWorld() {
  static World world;
  return world;
}

int World::FailureOf(std::string_view call) {
  if (!faulty.load(std::memory_order_relaxed)) return 0;
  const std::lock_guard lock(mutex);
  if (faults.failing_call != call) return 0;
  return calls++ < faults.failing_after ? 0 : faults.failing_errno;
}

Fate World::NextFate(const FakeQp& qp) {
  if (!faulty.load(std::memory_order_relaxed)) return {};
  const std::lock_guard lock(mutex);
  const std::uint64_t message = ++sends;
  if (faults.stall_at_message != 0 && message >= faults.stall_at_message) return {.stalled = true};
  if (message == faults.error_at_message) return {.error = faults.error_status};
  if (message == faults.event_at_message) {
    return {.event = faults.event, .event_at_target = faults.event_at_target};
  }
  if (message == faults.revoke_at_message) return {.revoked = true};
  if (qp.qp_type == IBV_QPT_RC) return {};
  const std::uint64_t datagram = ++unreliable_sends;
  if (faults.lose_at_message != 0 && datagram >= faults.lose_at_message &&
      datagram - faults.lose_at_message < faults.lost_messages) {
    return {.copies = 0};
  }
  Fate fate;
  if (datagram == faults.duplicate_at_message) fate.copies = 2;
  if (datagram == faults.late_at_message) {
    --fate.copies;
    fate.late_by = faults.late_by_messages;
  }
  return fate;
}

bool World::IsUnreadyForNext() {
  if (!faulty.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(mutex);
  const std::uint64_t message = ++deliveries;
  return faults.unready_at_message != 0 && message >= faults.unready_at_message &&
         message - faults.unready_at_message < faults.unready_messages;
}

std::shared_ptr<FakeQp> World::FindQp(std::uint32_t qpn) {
  const std::lock_guard lock(mutex);
  const auto found = qps.find(qpn);
  return found == qps.end() ? nullptr : found->second;
}

std::shared_ptr<FakeMr> World::FindMr(std::uint32_t key) {
  const std::lock_guard lock(mutex);
  const auto found = mrs.find(key >> 8);
  return found == mrs.end() ? nullptr : found->second;
}

void Reset(std::vector<FakeDevice> devices) {
  World& world = TheWorld();
  assert(LiveObjects() == 0);
  const std::lock_guard lock(world.mutex);
  world.devices.clear();
  for (FakeDevice& device : devices) world.devices.push_back(MakeDevice(std::move(device)));
  world.faults = Faults{};
  world.calls = world.sends = world.unreliable_sends = world.damageable_sends = 0;
  world.deliveries = 0;
  world.faulty = world.timed = false;
  world.timetable.Stop();
  world.overrun = false;
}

void Inject(const Faults& faults) {
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  world.faults = faults;
  world.calls = world.sends = world.unreliable_sends = world.damageable_sends = 0;
  world.deliveries = 0;
  world.faulty = true;
}

std::size_t LiveObjects() { return TheWorld().live; }

std::vector<std::uint32_t> LiveQueuePairs() {
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  std::vector<std::uint32_t> numbers;
  for (const auto& [number, qp] : world.qps) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

ibv_qp_attr AttributesOf(std::uint32_t qpn) {
  const std::shared_ptr<FakeQp> qp = TheWorld().FindQp(qpn);
  assert(qp != nullptr);
  const std::scoped_lock lock(qp->send_mutex, qp->recv_mutex);
  return qp->attr;
}

int MaskOf(std::uint32_t qpn, ibv_qp_state state) {
  const std::shared_ptr<FakeQp> qp = TheWorld().FindQp(qpn);
  assert(qp != nullptr);
  const std::scoped_lock lock(qp->send_mutex, qp->recv_mutex);
  return qp->masks[state];
}

ibv_ah_attr AddressOf(const ibv_ah* ah) { return static_cast<const FakeAh*>(ah)->attr; }

int AccessOf(std::uint32_t rkey) {
  const std::shared_ptr<FakeMr> mr = TheWorld().FindMr(rkey);
  assert(mr != nullptr && mr->rkey == rkey);
  return mr->access;
}

bool AnyOverrun() { return TheWorld().overrun; }

}  // namespace rdmabench::fake

using rdmabench::fake::DeviceState;
using rdmabench::fake::FakeContext;
using rdmabench::fake::kEmptyGidEntries;
using rdmabench::fake::kMaxCq;
using rdmabench::fake::kMaxReads;
using rdmabench::fake::kMaxSge;
using rdmabench::fake::Refused;
using rdmabench::fake::StateOf;
using rdmabench::fake::TheWorld;
using rdmabench::fake::World;

extern "C" {

ibv_device** ibv_get_device_list(int* num_devices) {
  World& world = TheWorld();
  if (Refused(world.FailureOf("ibv_get_device_list"))) return nullptr;
  const std::lock_guard lock(world.mutex);
  auto** list = new ibv_device*[world.devices.size() + 1]();
  for (std::size_t i = 0; i < world.devices.size(); ++i) list[i] = &world.devices[i]->handle;
  if (num_devices != nullptr) *num_devices = static_cast<int>(world.devices.size());
  return list;
}

void ibv_free_device_list(ibv_device** list) { delete[] list; }

const char* ibv_get_device_name(ibv_device* device) { return device->name; }

ibv_context* ibv_open_device(ibv_device* device) {
  World& world = TheWorld();
  if (Refused(world.FailureOf("ibv_open_device"))) return nullptr;
  auto context = std::make_unique<FakeContext>();
  context->device = device;
  // The handle is the state's first member, but found by search it needs no such promise.
  const std::lock_guard lock(world.mutex);
  for (const std::unique_ptr<DeviceState>& state : world.devices) {
    if (&state->handle == device) context->state = state.get();
  }
  context->ops.post_send = rdmabench::fake::PostSend;
  context->ops.post_recv = rdmabench::fake::PostRecv;
  context->ops.post_srq_recv = rdmabench::fake::PostSrqRecv;
  context->ops.poll_cq = rdmabench::fake::PollCq;
  context->ops.req_notify_cq = rdmabench::fake::RequestNotify;
  context->cmd_fd = -1;
  context->async_fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
  context->num_comp_vectors = 1;
  ++world.live;
  world.contexts.push_back(context.get());
  return context.release();
}

int ibv_close_device(ibv_context* context) {
  auto* fake = static_cast<FakeContext*>(context);
  if (fake->children != 0) return EBUSY;
  {
    const std::lock_guard lock(TheWorld().mutex);
    std::erase(TheWorld().contexts, fake);
  }
  close(fake->async_fd);
  --TheWorld().live;
  delete fake;
  return 0;
}

int ibv_query_device(ibv_context* context, ibv_device_attr* attr) {
  if (const int code = TheWorld().FailureOf("ibv_query_device"); code != 0) return code;
  const DeviceState& state = StateOf(context);
  *attr = ibv_device_attr{};
  std::snprintf(attr->fw_ver, sizeof attr->fw_ver, "1.0");
  attr->max_mr_size = ~std::uint64_t{0};
  attr->max_qp = static_cast<int>(state.config.max_qp);
  attr->max_qp_wr = static_cast<int>(state.config.max_qp_wr);
  attr->max_sge = attr->max_sge_rd = static_cast<int>(kMaxSge);
  attr->max_cq = kMaxCq;
  attr->max_cqe = static_cast<int>(state.config.max_cqe);
  attr->max_mr = attr->max_pd = attr->max_ah = kMaxCq;
  attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = static_cast<int>(kMaxReads);
  attr->max_res_rd_atom = attr->max_qp_rd_atom * attr->max_qp;
  attr->atomic_cap = IBV_ATOMIC_HCA;
  attr->max_srq = state.config.max_srq_wr > 0 ? kMaxCq : 0;
  attr->max_srq_wr = static_cast<int>(state.config.max_srq_wr);
  attr->max_srq_sge = static_cast<int>(kMaxSge);
  attr->max_pkeys = state.config.pkeys;
  attr->phys_port_cnt = 1;
  return 0;
}

int ibv_query_port(ibv_context* context, std::uint8_t port_num, _compat_ibv_port_attr* compat) {
  if (const int code = TheWorld().FailureOf("ibv_query_port"); code != 0) return code;
  if (port_num != 1) return EINVAL;
  const DeviceState& state = StateOf(context);
  // The inline function of the header passes the whole structure under the old one's name.
  auto* attr = reinterpret_cast<ibv_port_attr*>(compat);
  *attr = ibv_port_attr{};
  attr->state = state.port_state;
  attr->max_mtu = IBV_MTU_4096;
  attr->active_mtu = state.config.active_mtu;
  attr->gid_tbl_len = static_cast<int>(state.gids.size()) + kEmptyGidEntries;
  attr->max_msg_sz = std::uint32_t{1} << 31;
  attr->pkey_tbl_len = state.config.pkeys;
  attr->lid = state.config.lid;
  attr->active_width = 2;  // 4 lanes
  attr->active_speed = state.config.active_speed;
  attr->phys_state = 5;  // link up
  attr->link_layer = state.config.link_layer;
  attr->flags = state.config.grh_required ? IBV_QPF_GRH_REQUIRED : 0;
  return 0;
}

int _ibv_query_gid_ex(ibv_context* context, std::uint32_t port_num, std::uint32_t gid_index,
                      ibv_gid_entry* entry, std::uint32_t flags, std::size_t entry_size) {
  if (const int code = TheWorld().FailureOf("ibv_query_gid_ex"); code != 0) return code;
  const DeviceState& state = StateOf(context);
  if (port_num != 1 || flags != 0 || entry_size != sizeof *entry) return EINVAL;
  if (gid_index >= state.gids.size()) return ENODATA;
  *entry = ibv_gid_entry{
      .gid = state.gids[gid_index],
      .gid_index = gid_index,
      .port_num = port_num,
      .gid_type = static_cast<std::uint32_t>(state.config.gids[gid_index].type),
      .ndev_ifindex = 0,
  };
  return 0;
}

ssize_t _ibv_query_gid_table(ibv_context* context, ibv_gid_entry* entries, std::size_t max_entries,
                             std::uint32_t flags, std::size_t entry_size) {
  if (const int code = TheWorld().FailureOf("ibv_query_gid_table"); code != 0) return -code;
  const std::size_t count = std::min(max_entries, StateOf(context).gids.size());
  for (std::size_t i = 0; i < count; ++i) {
    const int code = _ibv_query_gid_ex(context, 1, static_cast<std::uint32_t>(i), &entries[i],
                                       flags, entry_size);
    if (code != 0) return -code;
  }
  return static_cast<ssize_t>(count);
}

int ibv_query_gid(ibv_context* context, std::uint8_t port_num, int index, ibv_gid* gid) {
  const DeviceState& state = StateOf(context);
  if (port_num != 1 || index < 0) return -1;
  *gid = static_cast<std::size_t>(index) < state.gids.size()
             ? state.gids[static_cast<std::size_t>(index)]
             : ibv_gid{};
  return 0;
}

int ibv_query_pkey(ibv_context* context, std::uint8_t port_num, int index, __be16* pkey) {
  if (port_num != 1 || index < 0 || index >= StateOf(context).config.pkeys) return -1;
  *pkey = 0xffff;
  return 0;
}

}  // extern "C"
