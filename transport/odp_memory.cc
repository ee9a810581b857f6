#include "transport/odp_memory.h"

#include <cerrno>
#include <string>
#include <string_view>

#include "transport/error.h"
#include "transport/host_memory.h"
#include "transport/joined.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

ibv_odp_caps CapsOf(ibv_context* context) {
  ibv_device_attr_ex attr{};
  Check(ibv_query_device_ex(context, nullptr, &attr), "cannot ask what the device can do");
  return attr.odp_caps;
}

std::optional<std::string> WhyNot(ibv_context* context) {
  if ((CapsOf(context).general_caps & IBV_ODP_SUPPORT) != 0) return std::nullopt;
  return "the device does not page on demand";
}

struct Request {
  std::uint32_t bit;
  std::string_view name;
};

constexpr Request kRequests[] = {
    {IBV_ODP_SUPPORT_SEND, "SEND"},     {IBV_ODP_SUPPORT_RECV, "receive"},
    {IBV_ODP_SUPPORT_WRITE, "WRITE"},   {IBV_ODP_SUPPORT_READ, "READ"},
    {IBV_ODP_SUPPORT_ATOMIC, "atomic"}, {IBV_ODP_SUPPORT_SRQ_RECV, "shared receive"},
};

std::optional<std::string> WhyNotOn(ibv_context* context, const QpType& type,
                                    std::uint32_t requests) {
  if (std::optional<std::string> reason = WhyNot(context)) return reason;
  const std::uint32_t missing = requests & ~(CapsOf(context).per_transport_caps.*type.odp_caps);
  std::string names;
  for (const Request& row : kRequests) {
    if ((missing & row.bit) == 0) continue;
    AppendWord(names, row.name);
  }
  if (names.empty()) return std::nullopt;
  return "the device does not page on demand for " + names + " requests of " +
         std::string(type.name) + " queue pairs";
}

Registration RegisterOnDemand(ibv_pd* pd, const Buffer& buffer, int access) {
  Mr mr(ibv_reg_mr(pd, buffer.data(), buffer.size(), access | IBV_ACCESS_ON_DEMAND));
  if (mr != nullptr) return {.mr = std::move(mr), .how = "by its virtual address, on demand"};
  const int code = errno;
  ThrowErrno(code,
             "cannot register " + std::to_string(buffer.size()) + " bytes for paging on demand",
             WhyNot(pd->context).value_or("use --memory host"));
}

Buffer Allocate(ibv_pd* pd, const BufferRequest& request) {
  if (const std::optional<std::string> reason = WhyNot(pd->context)) {
    throw Error(Blame::kEnvironment, "cannot have memory that is paged on demand: " + *reason,
                "use another kind of memory, such as host");
  }
  return kHostMemory.allocate(pd, request);
}

}  // namespace

constinit const MemoryKind kOdpMemory = {
    .name = "odp",
    .summary = "ordinary pages that the device asks for when it needs them",
    .why_not = WhyNot,
    .allocate = Allocate,
    .register_with = RegisterOnDemand,
    .fill = FillByCpu,
    .cpu_access = true,
    .inline_ok = true,
    .why_not_on = WhyNotOn,
};

}  // namespace rdmabench
