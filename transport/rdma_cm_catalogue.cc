// Events of rdma_cm, and why a peer's rdma_cm said no: IBTA 12.6.7.2 for a connection, 12.11.2.2
// for a datagram service.
#include <rdma/rdma_cma.h>

#include "transport/catalogue_rows.h"

namespace rdmabench {
namespace {

constexpr int kAny = CatalogueRow::kAnyReason;

struct Name {
  std::string_view text;
  rdma_cm_event_type event;
};
#define RDMABENCH_EVENT(name) \
  Name { "RDMA_CM_EVENT_" #name, RDMA_CM_EVENT_##name }

constexpr CatalogueRow Row(Name name, int reason, bool may_pass, std::string_view meaning,
                           std::string_view causes, std::string_view check) {
  return {.kind = FailureKind::kConnection,
          .name = name.text,
          .code = name.event,
          .reason = reason,
          .meaning = meaning,
          .causes = causes,
          .check = check,
          .facts = Facts::kSession,
          .may_pass = may_pass};
}

constexpr std::string_view kReach =
    "does ping reach the peer from this address, and does the address belong to an RDMA device's "
    "network interface on both sides (rdma link; ip addr)?";
constexpr std::string_view kSeePeer = "see what the other side says";
constexpr std::string_view kFull = "rdma resource show there; fewer --qp; run it again";
constexpr std::string_view kOthers = "others use up what its device has";
constexpr std::string_view kIntruder =
    "only the other side of the same run is let in; see what the peer says, and whether an address "
    "translation or another program stands between";
constexpr std::string_view kIntruderCauses =
    "an address translation or another program stands between; another run listens there";
constexpr std::string_view kNoListenerCauses =
    "the peer's session has ended; the address is another host's";

constexpr CatalogueRow kRows[] = {
    Row(RDMABENCH_EVENT(ADDR_ERROR), kAny, true,
        "no way from an RDMA device to the address was found",
        "the address is not of an RDMA device's interface; nobody answers for the peer's address; "
        "the interface is down",
        kReach),
    Row(RDMABENCH_EVENT(ROUTE_ERROR), kAny, true, "no RDMA path to the address was found",
        "the subnet manager knows none; the interface went down", kReach),
    Row(RDMABENCH_EVENT(CONNECT_ERROR), kAny, true, "the connection could not be made",
        "a packet of the answer was lost or not understood; the peer gave up meanwhile", kReach),
    Row(RDMABENCH_EVENT(UNREACHABLE), 1, true, "the peer said no: nobody listens on that port",
        kNoListenerCauses, kReach),
    Row(RDMABENCH_EVENT(UNREACHABLE), 2, false, "the peer said no: its program refused",
        kIntruderCauses, kIntruder),
    Row(RDMABENCH_EVENT(UNREACHABLE), 3, false, "the peer said no: it has no queue pair for us",
        kIntruderCauses, kIntruder),
    Row(RDMABENCH_EVENT(UNREACHABLE), kAny, true, "the peer did not answer",
        "UDP port 4791 is blocked; the peer's address is not of its RDMA device's interface; the "
        "peer is gone",
        kReach),
    Row(RDMABENCH_EVENT(REJECTED), 1, true, "the peer said no: it has no queue pair left", kOthers,
        kFull),
    Row(RDMABENCH_EVENT(REJECTED), 3, true, "the peer said no: it has no resources left", kOthers,
        kFull),
    Row(RDMABENCH_EVENT(REJECTED), 4, true, "the peer said no: it was too slow to answer",
        "its host is overloaded", "load of the peer; fewer --qp"),
    Row(RDMABENCH_EVENT(REJECTED), 8, true, "the peer said no: nobody listens on that port",
        kNoListenerCauses, kReach),
    Row(RDMABENCH_EVENT(REJECTED), 10, true,
        "the peer said no: it remembers an earlier connection of this queue pair number",
        "a run before was ended without a goodbye", "run it again a few seconds later"),
    Row(RDMABENCH_EVENT(REJECTED), 28, false, "the peer said no: its program refused",
        kIntruderCauses, kIntruder),
    Row(RDMABENCH_EVENT(REJECTED), kAny, true, "the peer said no",
        "something it does not like of the request; see its reason in IBTA vol. 1, 12.6.7.2",
        kSeePeer),
    Row(RDMABENCH_EVENT(DISCONNECTED), kAny, true, "the peer ended the connection",
        "its side failed or was interrupted", kSeePeer),
    Row(RDMABENCH_EVENT(DEVICE_REMOVAL), kAny, false, "the RDMA device was removed",
        "its driver was unloaded, or the device pulled", "dmesg; rdma link"),
    Row(RDMABENCH_EVENT(ADDR_CHANGE), kAny, true, "the address belongs to another link address now",
        "a bond has changed its port", "run it again; ip link"),
};

#undef RDMABENCH_EVENT

}  // namespace

std::span<const CatalogueRow> ConnectionRows() { return kRows; }

}  // namespace rdmabench
