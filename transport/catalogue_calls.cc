// Errno values of verbs, by the call where they mean something of their own.
#include <cerrno>

#include "transport/catalogue_rows.h"

namespace rdmabench {
namespace {

struct Name {
  std::string_view text;
  int code;
};
#define RDMABENCH_ERRNO(name) \
  Name { #name, name }

constexpr CatalogueRow Row(std::string_view call, Name name, std::string_view meaning,
                           std::string_view causes, std::string_view check,
                           Facts facts = Facts::kNone) {
  return {.kind = FailureKind::kCall,
          .name = name.text,
          .code = name.code,
          .of = call,
          .meaning = meaning,
          .causes = causes,
          .check = check,
          .facts = facts};
}

constexpr std::string_view kAny = "";
constexpr std::string_view kNoWay = "the kernel knows no way to the peer's GID";
constexpr std::string_view kNoWayCauses =
    "the address of this side's GID is not on its interface any more; the two GIDs are in subnets "
    "that no route joins; the interface is down";
constexpr std::string_view kNoWayCheck =
    "ip route get ADDRESS of the peer's GID; ip address; another --gid-index on both sides";
constexpr std::string_view kNoNeighbour =
    "the peer's GID has no link address: nobody answers for it";
constexpr std::string_view kNoNeighbourCauses =
    "the peer's interface is down or in another VLAN; the address belongs to nobody any more; "
    "neighbour discovery is filtered";
constexpr std::string_view kNoNeighbourCheck = "ping the peer's address from this one; ip neigh";
constexpr std::string_view kTooMany =
    "the device has no room left for it: others use it, too; the control group bounds it "
    "(rdma.max); the limit on locked memory (ulimit -l); the host's memory is used up";
constexpr std::string_view kTooManyCheck =
    "rdma resource show; cat /sys/fs/cgroup/rdma.max; fewer or shorter queues (--qp, --tx-depth, "
    "--rx-depth)";
constexpr std::string_view kNoSuchDevice = "the device is gone";
constexpr std::string_view kNotSupported = "the device or its driver does not offer this";

constexpr CatalogueRow kRows[] = {
    // Looked up by name where the limit explains what a call says: see call_error.h.
    Row(kAny, Name{"memlock", 0}, "this process may not lock as much memory as was asked for",
        "the limit of a login or of a service (ulimit -l); that of a container",
        "raise it with ulimit -l unlimited, with \"* - memlock unlimited\" in "
        "/etc/security/limits.d/rdma.conf and a new login, or with LimitMEMLOCK=infinity in the "
        "service's unit; in a container with --ulimit memlock=-1; who may not raise it takes a "
        "smaller --working-set, -s or -t"),
    Row("ibv_open_device", RDMABENCH_ERRNO(EACCES), "this user may not use the device",
        "the device's file is another group's; a container was not given it",
        "join the group of the files in /dev/infiniband, or run as root; in a container also allow "
        "the device"),
    Row("ibv_open_device", RDMABENCH_ERRNO(EPERM), "this user may not use the device",
        "the control group or a security module forbids it",
        "join the group of the files in /dev/infiniband, or run as root; in a container also allow "
        "the device"),
    Row("ibv_open_device", RDMABENCH_ERRNO(ENOENT), "the device has no file that could be opened",
        "the kernel module ib_uverbs is not loaded; a container was not given the file",
        "modprobe ib_uverbs; in a container pass --device=/dev/infiniband"),
    Row("ibv_open_device", RDMABENCH_ERRNO(ENXIO), "the device has no file that could be opened",
        "the kernel module ib_uverbs is not loaded; a container was not given the file",
        "modprobe ib_uverbs; in a container pass --device=/dev/infiniband"),
    Row("ibv_reg_mr", RDMABENCH_ERRNO(ENOMEM),
        "the memory cannot be pinned, or the device has no "
        "room for its pages",
        "the limit on locked memory, also of a container; the device's tables are full "
        "(max_mr, max_mr_size); the host's memory is used up; the control group bounds it",
        "ulimit -l; rdma resource show; fewer or smaller messages (--size, --tx-depth, --qp), or "
        "--memory huge2m"),
    Row("ibv_reg_mr", RDMABENCH_ERRNO(EPERM), "this process may lock no memory",
        "the limit on locked memory is 0", "ulimit -l"),
    Row("ibv_reg_mr", RDMABENCH_ERRNO(EFAULT), "the memory is not this process's to pin",
        "the map of a file or device that cannot be pinned; pages that went away",
        "the same run with --memory host"),
    Row("ibv_reg_mr", RDMABENCH_ERRNO(EINVAL), "the device refuses the rights or the length",
        "a right that it does not know (on demand, relaxed ordering); a length above its largest",
        "--relaxed-ordering off; --memory host; rdmabench devices has the limits"),
    Row("ibv_create_cq", RDMABENCH_ERRNO(ENOMEM), "there is no room for the completion queue",
        kTooMany, kTooManyCheck),
    Row("ibv_create_cq", RDMABENCH_ERRNO(EINVAL), "the device refuses the completion queue's size",
        "more entries than it allows (max_cqe); a completion vector that it does not have",
        "a smaller --tx-depth or --rx-depth, fewer --qp; -X 0"),
    Row("ibv_create_comp_channel", RDMABENCH_ERRNO(EMFILE), "this process has no descriptor left",
        "the limit on open files", "ulimit -n; fewer --threads"),
    Row("ibv_create_srq", RDMABENCH_ERRNO(ENOMEM), "there is no room for the shared receive queue",
        kTooMany, kTooManyCheck),
    Row("ibv_create_srq", RDMABENCH_ERRNO(EINVAL), "the device refuses the shared receive queue",
        "more requests than it allows (max_srq_wr)", "a smaller --rx-depth; no --use-srq"),
    Row("ibv_create_srq", RDMABENCH_ERRNO(EOPNOTSUPP), kNotSupported,
        "it has no shared receive queues", "no --use-srq"),
    Row("ibv_create_qp", RDMABENCH_ERRNO(ENOMEM), "there is no room for the queue pair", kTooMany,
        kTooManyCheck),
    Row("ibv_create_qp", RDMABENCH_ERRNO(EINVAL), "the device refuses the queue pair's shape",
        "more bytes inline than it grants at this depth; a queue that is too long together with "
        "its requests' size",
        "-I 0; a smaller --tx-depth or --rx-depth"),
    Row("ibv_create_qp", RDMABENCH_ERRNO(EOPNOTSUPP), kNotSupported,
        "it has no queue pairs of this type", "another --connection; rdmabench devices"),
    Row("ibv_create_qp", RDMABENCH_ERRNO(ENOSYS), kNotSupported,
        "it has no queue pairs of this type", "another --connection; rdmabench devices"),
    Row("ibv_create_qp", RDMABENCH_ERRNO(EPERM), "this process may not have such a queue pair",
        "the type or a key needs CAP_NET_RAW; the control group forbids it",
        "run as root, or another --connection"),
    Row("ibv_create_qp", RDMABENCH_ERRNO(EAGAIN), "the device is busy with itself",
        "it is being reset, or its firmware does not keep up", "run it again; dmesg"),
    Row("ibv_modify_qp:init", RDMABENCH_ERRNO(EINVAL), "the device refuses the port or the key",
        "--pkey-index is not in the port's table; the port number does not exist",
        "ls /sys/class/infiniband/*/ports/*/pkeys; --pkey-index 0"),
    Row("ibv_modify_qp:rtr", RDMABENCH_ERRNO(EINVAL), "the device refuses the path",
        "the GID index went away or is another address now; an MTU above the port's; a service "
        "level or hop limit that it does not have",
        "rdmabench devices on both sides; -x and -m right on both; no --sl", Facts::kPath),
    Row("ibv_modify_qp:rtr", RDMABENCH_ERRNO(ENETUNREACH), kNoWay, kNoWayCauses, kNoWayCheck,
        Facts::kPath),
    Row("ibv_modify_qp:rtr", RDMABENCH_ERRNO(EHOSTUNREACH), kNoNeighbour, kNoNeighbourCauses,
        kNoNeighbourCheck, Facts::kPath),
    Row("ibv_modify_qp:rtr", RDMABENCH_ERRNO(ETIMEDOUT), kNoNeighbour, kNoNeighbourCauses,
        kNoNeighbourCheck, Facts::kPath),
    Row("ibv_modify_qp:rtr", RDMABENCH_ERRNO(ENODEV), "the interface of this side's GID is gone",
        "the interface was removed, renamed or moved to another namespace",
        "ip link; rdmabench devices; another --gid-index", Facts::kPath),
    Row("ibv_modify_qp:rts", RDMABENCH_ERRNO(EINVAL), "the device refuses timeouts or depths",
        "more READs at once than it can; a timeout or retry count that it does not have",
        "--outs 1; no --qp-timeout, --retry-count, --rnr-retry", Facts::kPath),
    Row("ibv_create_ah", RDMABENCH_ERRNO(EINVAL), "the device refuses the path",
        "the GID index went away or is another address now; a service level or hop limit that it "
        "does not have",
        "rdmabench devices on both sides; -x right on both; no --sl", Facts::kPath),
    Row("ibv_create_ah", RDMABENCH_ERRNO(ENETUNREACH), kNoWay, kNoWayCauses, kNoWayCheck,
        Facts::kPath),
    Row("ibv_create_ah", RDMABENCH_ERRNO(EHOSTUNREACH), kNoNeighbour, kNoNeighbourCauses,
        kNoNeighbourCheck, Facts::kPath),
    Row("ibv_create_ah", RDMABENCH_ERRNO(ETIMEDOUT), kNoNeighbour, kNoNeighbourCauses,
        kNoNeighbourCheck, Facts::kPath),
    Row("ibv_create_ah", RDMABENCH_ERRNO(ENOMEM), "there is no room for the address handle",
        kTooMany, kTooManyCheck),
    Row("ibv_post_send", RDMABENCH_ERRNO(ENOMEM), "the send queue is full",
        "the device counts its places otherwise than the run does: a fault here or of the driver",
        "a smaller --tx-depth; dmesg", Facts::kPath),
    Row("ibv_post_send", RDMABENCH_ERRNO(EINVAL), "the device refuses the request",
        "the queue pair is not connected any more; an operation or inline size that it does not "
        "have",
        "-I 0; another --connection; dmesg", Facts::kPath),
    Row("ibv_post_recv", RDMABENCH_ERRNO(ENOMEM), "the receive queue is full",
        "the device counts its places otherwise than the run does: a fault here or of the driver",
        "a smaller --rx-depth; dmesg", Facts::kPath),
    Row("ibv_post_recv", RDMABENCH_ERRNO(EINVAL), "the device refuses the receive request",
        "the queue pair is not connected any more", "see what the other side says; dmesg",
        Facts::kPath),
    Row(kAny, RDMABENCH_ERRNO(ENOMEM), "there is no room for it", kTooMany, kTooManyCheck),
    Row(kAny, RDMABENCH_ERRNO(EIO), kNoSuchDevice,
        "it was reset or removed while it was in use; a fault of the hardware or of the firmware",
        "dmesg; rdma link"),
    Row(kAny, RDMABENCH_ERRNO(ENODEV), kNoSuchDevice,
        "it was removed, its driver unloaded, or it is in another namespace",
        "rdma link; dmesg; rdma system"),
    Row(kAny, RDMABENCH_ERRNO(EPERM), "this process may not do that",
        "a capability is missing; a control group or security module forbids it",
        "run as root to see whether it is that; dmesg"),
    Row(kAny, RDMABENCH_ERRNO(EACCES), "this process may not do that",
        "the files of the device are another group's",
        "join the group of the files in /dev/infiniband, or run as root"),
    Row(kAny, RDMABENCH_ERRNO(EMFILE), "this process has no descriptor left",
        "the limit on open files", "ulimit -n; fewer --threads"),
    Row(kAny, RDMABENCH_ERRNO(ENFILE), "the system has no descriptor left",
        "something leaks open files", "cat /proc/sys/fs/file-nr; sysctl fs.file-max"),
    Row(kAny, RDMABENCH_ERRNO(ENOSYS), kNotSupported, "an older driver, kernel or rdma-core",
        "rdmabench devices; versions of kernel and rdma-core"),
    Row(kAny, RDMABENCH_ERRNO(EOPNOTSUPP), kNotSupported, "an older driver, kernel or rdma-core",
        "rdmabench devices; versions of kernel and rdma-core"),
    Row(kAny, RDMABENCH_ERRNO(EAGAIN), "the device or the kernel has nothing to give just now",
        "a limit on processes or locked memory; the device is being reset",
        "run it again; ulimit -a; dmesg"),
    Row(kAny, RDMABENCH_ERRNO(ETIMEDOUT), "the device or its firmware did not answer in time",
        "the firmware hangs or is being updated; the device was reset", "dmesg; run it again"),
    Row(kAny, RDMABENCH_ERRNO(EBUSY), "something still uses it",
        "another program, or a fault in this one", "rdma resource show; dmesg"),
};

#undef RDMABENCH_ERRNO

}  // namespace

std::span<const CatalogueRow> CallRows() { return kRows; }

}  // namespace rdmabench
