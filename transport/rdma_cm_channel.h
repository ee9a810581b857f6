// rdma_cm's own objects with owners, its events by value, and words for what it reports.
#pragma once

#include <netinet/in.h>
#include <rdma/rdma_cma.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/handle.h"

namespace rdmabench {

// Its events have to be acknowledged before: rdma_destroy_id waits for that.
using CmId = std::unique_ptr<rdma_cm_id, Deleter<rdma_destroy_id>>;

// A copy of what is needed of an event. The event itself is acknowledged already, so that its id
// can be destroyed at any time.
struct CmEvent {
  rdma_cm_event_type type{};
  rdma_cm_id* id = nullptr;  // after CONNECT_REQUEST a new one, which the reader has to own
  int status = 0;            // a negative errno value, or the reason of a peer that said no
  std::array<std::byte, 64> private_data{};  // its beginning; what was not sent is zero
  // Of a connection.
  std::uint8_t responder_resources = 0;
  std::uint8_t initiator_depth = 0;
  // Of a datagram service that answered.
  ibv_ah_attr path{};
  std::uint32_t qpn = 0;
  std::uint32_t qkey = 0;
};

// Where the events of many ids arrive. It has to outlive its ids.
class CmChannel {
 public:
  // Throws Error(kEnvironment): the kernel's rdma_cm is not there, or not ours to use.
  CmChannel();

  // `context` is found again in the id of an event.
  CmId MakeId(rdma_port_space port_space, void* context) const;
  // The next event, or nothing when none has come by the deadline.
  std::optional<CmEvent> Next(Deadline until) const;

 private:
  std::unique_ptr<rdma_event_channel, Deleter<rdma_destroy_event_channel>> channel_;
};

// An IP address for rdma_cm, which does not know IPv4 addresses that are mapped into IPv6.
class CmAddress {
 public:
  // "192.168.77.1", "fd77::1", "fe80::1%eth1", "::ffff:192.168.77.1" (the text of a GID). Throws
  // Error(kUsage).
  CmAddress(const std::string& ip, std::uint16_t port);
  // rdma_cm takes it without const, and does not change it.
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage_); }

 private:
  sockaddr_storage storage_{};
};

// "192.168.77.1", "fe80::1%eth1"; empty while the id has none.
std::string CmAddressText(const sockaddr* address);

// Whether it says that an attempt has failed or that a connection has ended.
bool IsFailure(const CmEvent& event);
// What an event of failure says, in words: "the peer did not answer: Connection timed out".
std::string CmFailureText(const CmEvent& event);
// Whether the peer answered, and said no.
bool IsRefusal(const CmEvent& event);
// An error of the event's row in the catalogue: what was attempted, then what has happened.
Error CmError(const CmEvent& event, const std::string& attempted);
// An error of the row of a peer that does not answer, where no event has come at all.
Error CmLateError(const std::string& happened);
// What the reader can do then.
std::string CmLateRemedy();
// Whether another attempt may well succeed: nothing has been decided by a program or by the
// configuration.
bool IsTransient(const CmEvent& event);

}  // namespace rdmabench
