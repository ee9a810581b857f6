// Asynchronous events of a device (IBTA vol. 1, 11.6.3).
#include <infiniband/verbs.h>

#include "transport/catalogue_rows.h"

namespace rdmabench {
namespace {

constexpr CatalogueRow Row(ibv_event_type event, std::string_view name, Weight weight,
                           std::string_view meaning, std::string_view causes = "",
                           std::string_view check = "") {
  return {.kind = FailureKind::kEvent,
          .name = name,
          .code = event,
          .meaning = meaning,
          .causes = causes,
          .check = check,
          .facts = weight == Weight::kFailure ? Facts::kPath : Facts::kNone,
          .weight = weight};
}

constexpr std::string_view kNothingToDo = "nothing: this happens in sound runs";

constexpr CatalogueRow kRows[] = {
    Row(IBV_EVENT_CQ_ERR, "IBV_EVENT_CQ_ERR", Weight::kFailure,
        "a completion queue ran over or broke, and tells of nothing any more",
        "more completions came than it has places: a fault here or of the driver; its memory was "
        "taken away",
        "a smaller --tx-depth or --rx-depth, fewer --qp; dmesg"),
    Row(IBV_EVENT_QP_FATAL, "IBV_EVENT_QP_FATAL", Weight::kFailure,
        "the device could not go on with a queue pair, and not even complete its requests",
        "the device lost access to the queue's own memory; a fault of the firmware or the driver",
        "dmesg; versions of driver and firmware (rdmabench devices)"),
    Row(IBV_EVENT_QP_REQ_ERR, "IBV_EVENT_QP_REQ_ERR", Weight::kFailure,
        "the peer's request was ill-formed, and the queue pair that got it has failed",
        "the peer sent what this type does not allow; packets of an older connection with the same "
        "queue pair number; something on the way changes packets",
        "see what the other side says; run it again"),
    Row(IBV_EVENT_QP_ACCESS_ERR, "IBV_EVENT_QP_ACCESS_ERR", Weight::kFailure,
        "the peer's request named memory that it may not reach, and the queue pair that got it has "
        "failed",
        "the memory's key was revoked while the peer used it; the peer used a wrong key, address "
        "or "
        "operation",
        "see what the other side says; dmesg"),
    Row(IBV_EVENT_COMM_EST, "IBV_EVENT_COMM_EST", Weight::kNothing,
        "the first message reached a queue pair", "", kNothingToDo),
    Row(IBV_EVENT_SQ_DRAINED, "IBV_EVENT_SQ_DRAINED", Weight::kNothing,
        "a send queue is empty after it was told to drain", "", kNothingToDo),
    Row(IBV_EVENT_PATH_MIG, "IBV_EVENT_PATH_MIG", Weight::kWarning,
        "a queue pair goes another way now",
        "the first path failed, and the driver or a bond has another",
        "look for what happened to the first path: figures before and after are of different "
        "paths"),
    Row(IBV_EVENT_PATH_MIG_ERR, "IBV_EVENT_PATH_MIG_ERR", Weight::kFailure,
        "a queue pair was to go another way, and could not", "the other path does not work either",
        "links and routes of both ports"),
    Row(IBV_EVENT_DEVICE_FATAL, "IBV_EVENT_DEVICE_FATAL", Weight::kFailure,
        "the device has failed or was removed",
        "it was pulled, reset, or its driver unloaded; a fault of the hardware, the firmware or "
        "the PCIe link",
        "dmesg; lspci -vv; rdma link"),
    Row(IBV_EVENT_PORT_ACTIVE, "IBV_EVENT_PORT_ACTIVE", Weight::kWarning,
        "the port is up (again): what was measured around it is not that of a steady link",
        "the link was down for a while", "look for what took the link down"),
    Row(IBV_EVENT_PORT_ERR, "IBV_EVENT_PORT_ERR", Weight::kWarning,
        "the port went down: nothing goes over it until it is up again",
        "the network interface was taken down; the cable, the switch port or its peer failed; the "
        "subnet manager took it down",
        "ip link; ibstat; the switch's log"),
    Row(IBV_EVENT_LID_CHANGE, "IBV_EVENT_LID_CHANGE", Weight::kWarning,
        "the port has another LID: queue pairs that use the old one reach nobody",
        "the subnet manager was started anew or replaced",
        "the subnet manager's log; run it again"),
    Row(IBV_EVENT_PKEY_CHANGE, "IBV_EVENT_PKEY_CHANGE", Weight::kWarning,
        "the port's partition keys changed: queue pairs of a key that is gone reach nobody",
        "the subnet manager changed the partitions", "--pkey-index; the subnet manager's log"),
    Row(IBV_EVENT_SM_CHANGE, "IBV_EVENT_SM_CHANGE", Weight::kWarning,
        "another subnet manager has taken over", "the one before failed, or was replaced",
        "the subnet managers' logs: paths may have changed under way"),
    Row(IBV_EVENT_SRQ_ERR, "IBV_EVENT_SRQ_ERR", Weight::kFailure,
        "a shared receive queue broke: nothing that needs a receive request arrives any more",
        "the device lost access to the queue's own memory; a fault of the firmware or the driver",
        "the same run without --use-srq; dmesg"),
    Row(IBV_EVENT_SRQ_LIMIT_REACHED, "IBV_EVENT_SRQ_LIMIT_REACHED", Weight::kNothing,
        "a shared receive queue is short of requests", "", kNothingToDo),
    Row(IBV_EVENT_QP_LAST_WQE_REACHED, "IBV_EVENT_QP_LAST_WQE_REACHED", Weight::kNothing,
        "a queue pair with a shared receive queue has taken its last request", "", kNothingToDo),
    Row(IBV_EVENT_CLIENT_REREGISTER, "IBV_EVENT_CLIENT_REREGISTER", Weight::kWarning,
        "the subnet manager asks all to register anew: it was started again",
        "the subnet manager was started anew or replaced", "the subnet manager's log"),
    Row(IBV_EVENT_GID_CHANGE, "IBV_EVENT_GID_CHANGE", Weight::kWarning,
        "the port's GIDs changed: queue pairs of one that is gone reach nobody",
        "an address of the network interface was added or taken away; the interface went down",
        "ip address; rdmabench devices"),
    Row(IBV_EVENT_WQ_FATAL, "IBV_EVENT_WQ_FATAL", Weight::kFailure,
        "a work queue of the device broke, and nothing here makes one",
        "a fault of the firmware or the driver", "dmesg"),
};

}  // namespace

std::span<const CatalogueRow> DeviceEventRows() { return kRows; }

}  // namespace rdmabench
