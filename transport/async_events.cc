#include "transport/async_events.h"

#include <fcntl.h>

#include <cerrno>
#include <sstream>

#include "transport/catalogue.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

enum class Source { kQueuePair, kPort, kOther };

// What the union in an event holds.
Source SourceOf(ibv_event_type type) {
  switch (type) {
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_PATH_MIG:
    case IBV_EVENT_PATH_MIG_ERR:
    case IBV_EVENT_QP_LAST_WQE_REACHED:
      return Source::kQueuePair;
    case IBV_EVENT_PORT_ACTIVE:
    case IBV_EVENT_PORT_ERR:
    case IBV_EVENT_LID_CHANGE:
    case IBV_EVENT_PKEY_CHANGE:
    case IBV_EVENT_SM_CHANGE:
    case IBV_EVENT_CLIENT_REREGISTER:
    case IBV_EVENT_GID_CHANGE:
      return Source::kPort;
    default:
      return Source::kOther;
  }
}

}  // namespace

AsyncEvents::AsyncEvents(ibv_context* context) : context_(context) {
  const int flags = CheckErrno(fcntl(fd(), F_GETFL), "cannot read the flags of a device's events");
  CheckErrno(fcntl(fd(), F_SETFL, flags | O_NONBLOCK),
             "cannot make a device's events non-blocking");
}

std::optional<AsyncEvent> AsyncEvents::Next() {
  ibv_async_event event{};
  errno = EAGAIN;
  if (ibv_get_async_event(context_, &event) != 0) {
    broken_ = errno != EAGAIN && errno != EINTR;
    return std::nullopt;
  }
  AsyncEvent copy{.type = event.event_type};
  // The object lives for as long as its event is not acknowledged.
  if (SourceOf(event.event_type) == Source::kQueuePair) copy.qpn = event.element.qp->qp_num;
  if (SourceOf(event.event_type) == Source::kPort) copy.port = event.element.port_num;
  ibv_ack_async_event(&event);
  return copy;
}

std::string EventText(const AsyncEvent& event) {
  const CatalogueRow* row = RowOfEvent(event.type);
  std::ostringstream text;
  if (row != nullptr) {
    text << row->name;
  } else {
    text << "event " << event.type;
  }
  if (event.qpn != 0) text << " of queue pair 0x" << std::hex << event.qpn;
  if (event.port != 0) text << " of port " << event.port;
  return text.str();
}

}  // namespace rdmabench
