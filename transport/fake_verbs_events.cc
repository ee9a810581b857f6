#include "transport/fake_verbs_events.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "transport/fake_verbs_objects.h"

namespace rdmabench::fake {
namespace {

using std::chrono::milliseconds;

// How long the end of an object waits for its events to be acknowledged; in the kernel: for ever.
constexpr milliseconds kAcknowledgement{2000};

bool Same(const ibv_async_event& event, const void* object) {
  return event.element.qp == object;  // all members are pointers, or the number of a port
}

bool IsOfAPort(ibv_event_type type) {
  constexpr ibv_event_type kTypes[] = {IBV_EVENT_PORT_ACTIVE, IBV_EVENT_PORT_ERR,
                                       IBV_EVENT_LID_CHANGE,  IBV_EVENT_PKEY_CHANGE,
                                       IBV_EVENT_SM_CHANGE,   IBV_EVENT_CLIENT_REREGISTER,
                                       IBV_EVENT_GID_CHANGE,  IBV_EVENT_DEVICE_FATAL};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

void Raise(FakeContext& context, ibv_event_type type, void* object) {
  ibv_async_event event{};
  event.event_type = type;
  if (object == nullptr) {
    event.element.port_num = 1;
  } else {
    event.element.qp = static_cast<ibv_qp*>(object);
  }
  const std::lock_guard lock(context.events_mutex);
  context.events.push_back(event);
  eventfd_write(context.async_fd, 1);
}

void RaiseAtAll(const DeviceState& device, ibv_event_type type) {
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  for (FakeContext* context : world.contexts) {
    if (context->state == &device) Raise(*context, type, nullptr);
  }
}

// With the sender's send_mutex held, and nobody's recv_mutex.
void BreakPair(FakeQp& qp, bool is_sender) {
  if (is_sender) return qp.Break();
  const std::lock_guard lock(qp.recv_mutex);
  qp.BreakResponder();
}

}  // namespace

void RaiseOf(ibv_qp& qp, ibv_event_type type) {
  Raise(*static_cast<FakeContext*>(qp.context), type, &qp);
}

void Strike(FakeQp& qp, bool is_sender, ibv_event_type type) {
  if (IsOfAPort(type)) return RaiseDeviceEvent(qp.Device().config.name, type);
  FakeContext& context = *static_cast<FakeContext*>(qp.context);
  if (type == IBV_EVENT_CQ_ERR) {
    FakeCq& cq = is_sender ? qp.SendCq() : qp.RecvCq();
    cq.broken = true;
    Raise(context, type, &cq);
  } else if (type == IBV_EVENT_SRQ_ERR) {
    Raise(context, type, qp.srq);
  } else {
    Raise(context, type, &qp);
  }
  BreakPair(qp, is_sender);
}

void RaiseDeviceEvent(std::string_view name, ibv_event_type type) {
  World& world = TheWorld();
  DeviceState* device = nullptr;
  {
    const std::lock_guard lock(world.mutex);
    for (const std::unique_ptr<DeviceState>& state : world.devices) {
      if (state->config.name == name) device = state.get();
    }
  }
  if (device == nullptr) return;
  if (type == IBV_EVENT_PORT_ERR) device->port_state = IBV_PORT_DOWN;
  if (type == IBV_EVENT_PORT_ACTIVE) device->port_state = IBV_PORT_ACTIVE;
  if (type == IBV_EVENT_DEVICE_FATAL) device->failed = true;
  RaiseAtAll(*device, type);
}

void RaiseQueuePairEvent(std::uint32_t qpn, ibv_event_type type) {
  const std::shared_ptr<FakeQp> qp = TheWorld().FindQp(qpn);
  assert(qp != nullptr);
  RaiseOf(*qp, type);
}

bool ForgetEvents(ibv_context* base, const void* object, const EventCount& count) {
  auto& context = *static_cast<FakeContext*>(base);
  {
    const std::lock_guard lock(context.events_mutex);
    std::erase_if(context.events,
                  [&](const ibv_async_event& event) { return Same(event, object); });
  }
  const auto until = std::chrono::steady_clock::now() + kAcknowledgement;
  while (count.taken != count.acknowledged) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

namespace {

// Null of a port's.
EventCount* CountOf(const ibv_async_event& event) {
  if (IsOfAPort(event.event_type)) return nullptr;
  switch (event.event_type) {
    case IBV_EVENT_CQ_ERR:
      return &static_cast<FakeCq*>(event.element.cq)->events;
    case IBV_EVENT_SRQ_ERR:
    case IBV_EVENT_SRQ_LIMIT_REACHED:
      return &static_cast<FakeSrq*>(event.element.srq)->events;
    default:
      return &static_cast<FakeQp*>(event.element.qp)->events;
  }
}

}  // namespace
}  // namespace rdmabench::fake

using rdmabench::fake::CountOf;
using rdmabench::fake::EventCount;
using rdmabench::fake::FakeContext;

extern "C" {

int ibv_get_async_event(ibv_context* base, ibv_async_event* event) {
  auto& context = *static_cast<FakeContext*>(base);
  eventfd_t one = 0;
  if (eventfd_read(context.async_fd, &one) != 0) return -1;
  const std::lock_guard lock(context.events_mutex);
  if (context.events.empty()) {  // its object has ended meanwhile
    errno = EAGAIN;
    return -1;
  }
  *event = context.events.front();
  context.events.pop_front();
  if (EventCount* count = CountOf(*event); count != nullptr) ++count->taken;
  return 0;
}

void ibv_ack_async_event(ibv_async_event* event) {
  if (EventCount* count = CountOf(*event); count != nullptr) ++count->acknowledged;
}

}  // extern "C"
