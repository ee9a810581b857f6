// Asynchronous events of the fake devices, raised at will.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <string_view>

namespace rdmabench::fake {

// Of a port or of the device itself: whoever has the device open is told. A port is down after
// IBV_EVENT_PORT_ERR, up after IBV_EVENT_PORT_ACTIVE; after IBV_EVENT_DEVICE_FATAL nothing
// completes.
void RaiseDeviceEvent(std::string_view device, ibv_event_type type);
// Of a queue pair, which stays as it is.
void RaiseQueuePairEvent(std::uint32_t qpn, ibv_event_type type);

}  // namespace rdmabench::fake
