#include "transport/endpoint_limits.h"

#include <cassert>
#include <string>

#include "transport/error.h"

namespace rdmabench {
namespace {

void Limit(std::string_view what, std::uint64_t asked, std::uint64_t allowed, std::string_view name,
           std::string_view remedy) {
  if (asked <= allowed) return;
  throw Error(Blame::kEnvironment,
              std::to_string(asked) + " " + std::string(what) +
                  " were asked for, and the device allows " + std::to_string(allowed) + " (" +
                  std::string(name) + ")",
              std::string(remedy));
}

std::uint32_t CqsFor(std::uint32_t queues, std::uint32_t queues_per_cq) {
  return (queues + queues_per_cq - 1) / queues_per_cq;
}

bool HasReadDepth(const QpType& type) { return (type.rts_mask & IBV_QP_MAX_QP_RD_ATOMIC) != 0; }

void CheckLimits(const DeviceLimits& limits, const EndpointOptions& options) {
  constexpr std::string_view kFewerPairs = "use fewer queue pairs (-q)";
  constexpr std::string_view kLessDepth = "use a smaller depth (--tx-depth)";
  Limit("queue pairs", options.queue_pairs, limits.max_qp, "max_qp", kFewerPairs);
  for (const std::uint32_t depth : {options.send_depth, options.recv_depth}) {
    Limit("requests a queue", depth, limits.max_qp_wr, "max_qp_wr", kLessDepth);
    Limit("completions of one queue", depth, limits.max_cqe, "max_cqe", kLessDepth);
  }
  const std::uint32_t cqs =
      CqsFor(options.queue_pairs,
             QueuesPerCq(options.queue_pairs, options.send_depth, limits.max_cqe)) +
      CqsFor(ReceiveQueues(options),
             QueuesPerCq(ReceiveQueues(options), options.recv_depth, limits.max_cqe));
  Limit("completion queues", cqs, limits.max_cq, "max_cq", kFewerPairs);
  Limit("bytes of registered memory", options.own_bytes + options.exposed_bytes,
        limits.max_mr_bytes, "max_mr_size", "use smaller messages or a smaller depth");
  if (!HasReadDepth(*options.type)) return;
  Limit("outstanding reads", options.attributes.read_depth, limits.max_init_rd_atom,
        "max_qp_init_rd_atom", "use a smaller read depth");
  Limit("outstanding reads as target", options.attributes.read_depth, limits.max_rd_atom,
        "max_qp_rd_atom", "use a smaller read depth");
}

void CheckMemoryKind(ibv_context* context, const EndpointOptions& options) {
  const MemoryKind& kind = *options.memory_kind;
  if (kind.why_not_on == nullptr) return;
  const std::optional<std::string> reason =
      kind.why_not_on(context, *options.type, options.odp_requests);
  if (!reason) return;
  throw Error(Blame::kEnvironment,
              "memory kind " + std::string(kind.name) + " is not available here: " + *reason,
              "use another one, such as host");
}

}  // namespace

std::uint32_t ReceiveQueues(const EndpointOptions& options) {
  return options.use_srq ? 1 : options.queue_pairs;
}

std::uint32_t QueuesPerCq(std::uint32_t queues, std::uint32_t depth, std::uint32_t max_cqe) {
  const std::uint32_t most = max_cqe / depth;
  const std::uint32_t cqs = (queues + most - 1) / most;
  return (queues + cqs - 1) / cqs;
}

const EndpointOptions& Checked(const Device& device, const EndpointOptions& options) {
  assert(options.type != nullptr && options.memory_kind != nullptr);
  assert(options.queue_pairs > 0 && options.send_depth > 0 && options.recv_depth > 0);
  CheckLimits(device.info().limits, options);
  CheckMemoryKind(device.context(), options);
  const PortInfo& port = device.ActivePort(options.port);
  const std::string port_name = "port " + std::to_string(port.number) + " of " + device.info().name;
  if (port.grh_required && !options.gid) {
    throw Error(Blame::kEnvironment, port_name + " needs a GID, and none was chosen",
                "give its network interface an address, or choose one with -x");
  }
  if (options.mtu_bytes > port.active_mtu_bytes) {
    throw Error(Blame::kEnvironment,
                "an MTU of " + std::to_string(options.mtu_bytes) + " was asked for, and " +
                    port_name + " has " + std::to_string(port.active_mtu_bytes) + " active",
                "ask for a smaller one (-m), or raise the interface's MTU");
  }
  return options;
}

}  // namespace rdmabench
