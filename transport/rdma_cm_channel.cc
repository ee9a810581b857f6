#include "transport/rdma_cm_channel.h"

#include <fcntl.h>
#include <netdb.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "transport/catalogue.h"
#include "transport/descriptor.h"
#include "transport/resolve.h"

namespace rdmabench {
namespace {

// Which member of an event's union holds the private data, and whether it holds any.
enum class Payload { kNone, kData, kAnswer };

Payload PayloadOf(rdma_cm_event_type type) {
  switch (type) {
    case RDMA_CM_EVENT_CONNECT_REQUEST:
    case RDMA_CM_EVENT_CONNECT_RESPONSE:
    case RDMA_CM_EVENT_REJECTED:
      return Payload::kData;
    case RDMA_CM_EVENT_ESTABLISHED:
      return Payload::kAnswer;
    default:
      return Payload::kNone;
  }
}

void CopyPrivateData(const void* data, std::size_t bytes, CmEvent* event) {
  if (data == nullptr) return;
  std::memcpy(event->private_data.data(), data, std::min(bytes, event->private_data.size()));
}

CmEvent Copy(const rdma_cm_event& event) {
  CmEvent copy;
  copy.type = event.event;
  copy.id = event.id;
  copy.status = event.status;
  const Payload payload = PayloadOf(event.event);
  if (payload == Payload::kNone) return copy;
  if (event.id->ps == RDMA_PS_UDP) {
    const rdma_ud_param& param = event.param.ud;
    CopyPrivateData(param.private_data, param.private_data_len, &copy);
    copy.path = param.ah_attr;
    copy.qpn = param.qp_num;
    copy.qkey = param.qkey;
  } else {
    const rdma_conn_param& param = event.param.conn;
    CopyPrivateData(param.private_data, param.private_data_len, &copy);
    copy.responder_resources = param.responder_resources;
    copy.initiator_depth = param.initiator_depth;
  }
  return copy;
}

const CatalogueRow* RowOf(const CmEvent& event) {
  return RowOfConnection(event.type, event.status);
}

// The answers to a wrong address of ours; they stay the same however often one asks.
bool IsConfiguration(int status) {
  return status == -ENODEV || status == -EADDRNOTAVAIL || status == -EINVAL ||
         status == -EAFNOSUPPORT;
}

// Who has to act on it.
Blame BlameOf(const CmEvent& event) {
  const bool local = event.type == RDMA_CM_EVENT_DEVICE_REMOVAL || IsConfiguration(event.status);
  return local ? Blame::kEnvironment : Blame::kRun;
}

// That of a peer from which no event comes.
const CatalogueRow& LateRow() {
  return *RowOfConnection(RDMA_CM_EVENT_UNREACHABLE, CatalogueRow::kAnyReason);
}

constexpr std::string_view kModuleRemedy =
    "is the kernel module rdma_ucm loaded (modprobe rdma_ucm), is there an RDMA device (rdma "
    "link), and may this user open /dev/infiniband/rdma_cm?";

}  // namespace

CmChannel::CmChannel()
    : channel_(Check(rdma_create_event_channel(), "cannot open rdma_cm", kModuleRemedy)) {
  const int flags = CheckErrno(fcntl(channel_->fd, F_GETFL), "cannot read rdma_cm's flags");
  CheckErrno(fcntl(channel_->fd, F_SETFL, flags | O_NONBLOCK), "cannot make rdma_cm non-blocking");
}

CmId CmChannel::MakeId(rdma_port_space port_space, void* context) const {
  rdma_cm_id* id = nullptr;
  CheckErrno(rdma_create_id(channel_.get(), &id, context, port_space),
             "cannot create an rdma_cm identifier", kModuleRemedy);
  return CmId(id);
}

std::optional<CmEvent> CmChannel::Next(Deadline until) const {
  const int fd = channel_->fd;
  // Read before waiting: while events are there, a wait would be one system call more for each.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (attempt > 0) WaitReady({&fd, 1}, {}, until);
    rdma_cm_event* event = nullptr;
    if (rdma_get_cm_event(channel_.get(), &event) == 0) {
      const CmEvent copy = Copy(*event);
      rdma_ack_cm_event(event);
      return copy;
    }
    if (errno != EAGAIN && errno != EINTR) ThrowErrno(errno, "cannot read rdma_cm's events", {});
  }
  return std::nullopt;
}

CmAddress::CmAddress(const std::string& ip, std::uint16_t port) {
  const AddressList list = ParseAddress(ip, port);
  std::memcpy(&storage_, list->ai_addr, list->ai_addrlen);
  if (storage_.ss_family != AF_INET6) return;
  sockaddr_in6 wide{};
  std::memcpy(&wide, &storage_, sizeof wide);
  if (!IN6_IS_ADDR_V4MAPPED(&wide.sin6_addr)) return;
  sockaddr_in narrow{};
  narrow.sin_family = AF_INET;
  narrow.sin_port = wide.sin6_port;
  std::memcpy(&narrow.sin_addr, &wide.sin6_addr.s6_addr[12], sizeof narrow.sin_addr);
  storage_ = {};
  std::memcpy(&storage_, &narrow, sizeof narrow);
}

std::string CmAddressText(const sockaddr* address) {
  std::array<char, NI_MAXHOST> text{};
  const socklen_t bytes =
      address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const int code = getnameinfo(address, bytes, text.data(), text.size(), nullptr, 0,
                               NI_NUMERICHOST | NI_NUMERICSERV);
  return code == 0 ? text.data() : "";
}

bool IsFailure(const CmEvent& event) {
  switch (event.type) {
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_REJECTED:
    case RDMA_CM_EVENT_DISCONNECTED:
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
      return true;
    default:
      // librdmacm may add a failure of its own to an event that tells of a success.
      return event.status < 0;
  }
}

std::string CmFailureText(const CmEvent& event) {
  const CatalogueRow* row = RowOf(event);
  const std::string text(row != nullptr ? row->meaning : rdma_event_str(event.type));
  if (event.status < 0) return WithReason(text, -event.status);
  if (event.status == 0 || IsRefusal(event)) return text;
  return text + " (reason " + std::to_string(event.status) + ")";
}

bool IsRefusal(const CmEvent& event) {
  const CatalogueRow* row = RowOf(event);
  return row != nullptr && row->reason != CatalogueRow::kAnyReason;
}

Error CmError(const CmEvent& event, const std::string& attempted) {
  const CatalogueRow* row = RowOf(event);
  const std::string happened = attempted + ": " + CmFailureText(event);
  if (row == nullptr) return {BlameOf(event), happened, CmLateRemedy()};
  return ErrorInOwnWords(*row, BlameOf(event), happened);
}

Error CmLateError(const std::string& happened) {
  return ErrorInOwnWords(LateRow(), Blame::kRun, happened);
}

std::string CmLateRemedy() { return AdviceOf(LateRow()); }

bool IsTransient(const CmEvent& event) {
  const CatalogueRow* row = RowOf(event);
  return !IsConfiguration(event.status) && (row == nullptr || row->may_pass);
}

}  // namespace rdmabench
