#include "transport/odp_memory.h"

#include <cerrno>
#include <string>

#include "transport/error.h"
#include "transport/host_memory.h"

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

struct Transport {
  ibv_qp_type type;
  std::string_view name;
  std::uint32_t (*caps)(const ibv_odp_caps&);
};

constexpr Transport kTransports[] = {
    {IBV_QPT_RC, "rc", [](const ibv_odp_caps& c) { return c.per_transport_caps.rc_odp_caps; }},
    {IBV_QPT_UC, "uc", [](const ibv_odp_caps& c) { return c.per_transport_caps.uc_odp_caps; }},
    {IBV_QPT_UD, "ud", [](const ibv_odp_caps& c) { return c.per_transport_caps.ud_odp_caps; }},
};

std::optional<std::string> WhyNotOn(ibv_context* context, ibv_qp_type type) {
  if (std::optional<std::string> reason = WhyNot(context)) return reason;
  const ibv_odp_caps caps = CapsOf(context);
  for (const Transport& row : kTransports) {
    if (row.type != type || row.caps(caps) != 0) continue;
    return "the device does not page on demand for " + std::string(row.name) + " queue pairs";
  }
  return std::nullopt;
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
