// Work completion statuses (IBTA vol. 1, 11.6.2).
#include <infiniband/verbs.h>

#include "transport/catalogue_rows.h"

namespace rdmabench {
namespace {

constexpr std::string_view kSeePeer = "see what the other side says";
constexpr std::string_view kOurBug =
    "dmesg of both hosts; versions of driver and firmware (rdmabench devices)";
constexpr std::string_view kNotUsed = "a fault of the driver or of the firmware";
constexpr std::string_view kDatagrams = "an error of reliable datagrams, which nothing here uses";
constexpr std::string_view kTags = "an error of tag matching, which nothing here uses";

constexpr CatalogueRow Row(ibv_wc_status status, std::string_view name, std::string_view meaning,
                           std::string_view causes, std::string_view check,
                           Facts facts = Facts::kPath, Weight weight = Weight::kFailure) {
  return {.kind = FailureKind::kCompletion,
          .name = name,
          .code = status,
          .meaning = meaning,
          .causes = causes,
          .check = check,
          .facts = facts,
          .weight = weight};
}

constexpr CatalogueRow kRows[] = {
    Row(IBV_WC_LOC_LEN_ERR, "IBV_WC_LOC_LEN_ERR",
        "the message is longer than the port, the queue pair or the receive request allows",
        "on ud, a message above the MTU; what arrived is longer than what was posted for it; a "
        "message above the port's largest",
        "compare --size with the MTU and the limits of both devices (rdmabench devices)"),
    Row(IBV_WC_LOC_QP_OP_ERR, "IBV_WC_LOC_QP_OP_ERR",
        "the device does not carry out this request on this queue pair",
        "the operation does not exist for this type on this device; more READs or atomics at once "
        "than the queue pair was given; more bytes inline than it grants",
        "try --outs 1, --inline-size 0 or another --connection; dmesg may say more"),
    Row(IBV_WC_LOC_EEC_OP_ERR, "IBV_WC_LOC_EEC_OP_ERR", kDatagrams, kNotUsed, kOurBug),
    Row(IBV_WC_LOC_PROT_ERR, "IBV_WC_LOC_PROT_ERR",
        "the local registration does not cover the memory of the message",
        "the memory was given back while the run went on; the driver does not do what it promises "
        "for this kind of memory",
        "the same run with --memory host; dmesg"),
    Row(IBV_WC_WR_FLUSH_ERR, "IBV_WC_WR_FLUSH_ERR",
        "the queue pair had failed before, and this request was thrown out with all others",
        "the other side failed first; the device raised an event of the queue pair, its completion "
        "queue or itself that no one saw; someone reset the device",
        "see what the other side says; dmesg of both hosts", Facts::kPath, Weight::kConsequence),
    Row(IBV_WC_MW_BIND_ERR, "IBV_WC_MW_BIND_ERR",
        "a memory window was not bound, and nothing here uses one", kNotUsed, kOurBug),
    Row(IBV_WC_BAD_RESP_ERR, "IBV_WC_BAD_RESP_ERR", "an answer came that fits no request",
        "packets of an older connection with the same queue pair number; something on the way "
        "changes packets; a fault of the peer's device",
        "run it again; counters of both ports; versions of firmware"),
    Row(IBV_WC_LOC_ACCESS_ERR, "IBV_WC_LOC_ACCESS_ERR",
        "what the peer sent may not be put into this side's memory",
        "the registration lacks a right that the operation needs; the driver does not do what it "
        "promises for this kind of memory",
        "the same run with --memory host; dmesg"),
    Row(IBV_WC_REM_INV_REQ_ERR, "IBV_WC_REM_INV_REQ_ERR",
        "the peer's device takes the request for ill-formed",
        "the message is longer than the receive request posted there; the peer's queue pair does "
        "not allow the operation; too many READs or atomics at once; an atomic's address is not a "
        "multiple of 8",
        "see what the other side says; --outs 1"),
    Row(IBV_WC_REM_ACCESS_ERR, "IBV_WC_REM_ACCESS_ERR",
        "the peer refused the memory key or the address",
        "the peer's session has ended, and its keys with it; the key does not allow this "
        "operation; the address lies outside of the registered memory",
        kSeePeer),
    Row(IBV_WC_REM_OP_ERR, "IBV_WC_REM_OP_ERR", "the peer could not carry out the operation",
        "its own memory or queues failed while it did; its device has a fault",
        "see what the other side says; dmesg there"),
    Row(IBV_WC_RETRY_EXC_ERR, "IBV_WC_RETRY_EXC_ERR",
        "the peer's port did not acknowledge, however often the message was sent",
        "packets are lost: no route between the two GIDs, a firewall or VLAN that stops UDP port "
        "4791, a wrong --gid-index; the MTU is above what the path carries; the peer's process or "
        "host is gone, or its link is down; the fabric or the peer is too slow to answer in time",
        "ping -M do -s SIZE from address to address of the two GIDs, ip neigh; a smaller -m; "
        "--qp-timeout and --retry-count allow more time"),
    Row(IBV_WC_RNR_RETRY_EXC_ERR, "IBV_WC_RNR_RETRY_EXC_ERR",
        "the peer had no receive request posted, however often the message was sent",
        "the peer's process stands still, or does not get its processor; its receive queue is too "
        "short for the rate; something else sends to the same queue pair",
        "load and cores of the peer (--remote-cpus); a larger --rx-depth; --rnr-retry 6 tries "
        "longest"),
    Row(IBV_WC_LOC_RDD_VIOL_ERR, "IBV_WC_LOC_RDD_VIOL_ERR", kDatagrams, kNotUsed, kOurBug),
    Row(IBV_WC_REM_INV_RD_REQ_ERR, "IBV_WC_REM_INV_RD_REQ_ERR", kDatagrams, kNotUsed, kOurBug),
    Row(IBV_WC_REM_ABORT_ERR, "IBV_WC_REM_ABORT_ERR", "the peer's device gave the operation up",
        "the peer's queue pair was reset; its device has a fault",
        "see what the other side says; dmesg there"),
    Row(IBV_WC_INV_EECN_ERR, "IBV_WC_INV_EECN_ERR", kDatagrams, kNotUsed, kOurBug),
    Row(IBV_WC_INV_EEC_STATE_ERR, "IBV_WC_INV_EEC_STATE_ERR", kDatagrams, kNotUsed, kOurBug),
    Row(IBV_WC_FATAL_ERR, "IBV_WC_FATAL_ERR", "the device failed, and will not recover by itself",
        "a fault of the hardware or of the firmware; the device was reset or removed",
        "dmesg; a reset of the device or of the host"),
    Row(IBV_WC_RESP_TIMEOUT_ERR, "IBV_WC_RESP_TIMEOUT_ERR",
        "the device did not finish the request in time",
        "the peer stopped in the middle of an answer; the fabric is congested",
        "see what the other side says; --qp-timeout allows more time"),
    Row(IBV_WC_GENERAL_ERR, "IBV_WC_GENERAL_ERR", "the device failed and does not say how",
        "a fault of the driver or of the firmware, of which the vendor error tells more", kOurBug),
    Row(IBV_WC_TM_ERR, "IBV_WC_TM_ERR", kTags, kNotUsed, kOurBug),
    Row(IBV_WC_TM_RNDV_INCOMPLETE, "IBV_WC_TM_RNDV_INCOMPLETE", kTags, kNotUsed, kOurBug),
};

}  // namespace

std::span<const CatalogueRow> CompletionRows() { return kRows; }

}  // namespace rdmabench
