#include "bench/site.h"

#include "report/context.h"

namespace rdmabench {
namespace {

Device OpenDevice(const Local& local, std::string_view session_ip) {
  return local.device ? Device::Open(*local.device) : Device::OpenFor(session_ip);
}

std::optional<std::string> Known(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

report::Device DescribeDevice(const Site& site, const std::optional<Gid>& gid) {
  const DeviceInfo& info = site.device.info();
  report::Device device{.name = info.name,
                        .driver = Known(info.driver),
                        .firmware = Known(info.firmware),
                        .netdev = Known(info.netdev),
                        .pcie_address = info.pcie_address,
                        .port = site.port.number,
                        .link_layer = site.port.link_layer,
                        .link_gbps = site.port.link_gbps,
                        .data_gbps = site.port.data_gbps,
                        .pcie = std::nullopt,
                        .active_mtu_bytes = site.port.active_mtu_bytes,
                        .lid = std::nullopt,
                        .gid = std::nullopt};
  if (info.pcie) {
    device.pcie = report::Pcie{.gigatransfers_per_second = info.pcie->gigatransfers_per_second,
                               .lanes = info.pcie->lanes,
                               .max_payload_bytes = info.pcie->max_payload_bytes};
  }
  if (site.port.lid != 0) device.lid = site.port.lid;
  if (gid) device.gid = DescribeGid(*gid);
  return device;
}

}  // namespace

Site::Site(const Local& local, std::string_view session_ip, std::size_t workers)
    : device(OpenDevice(local, session_ip)),
      port(device.ActivePort(local.port)),
      offer(MakeOffer(device, port, local.gid_index)),
      placement(locality.Place(PositionOf(device.info()), workers)) {}

report::Gid DescribeGid(const Gid& gid) {
  return {.index = gid.index, .type = std::string(GidTypeName(gid.type)), .text = gid.Text()};
}

report::Host DescribeSite(const Site& site, std::string_view role, const std::optional<Gid>& gid) {
  report::Host host = report::DescribeHost();
  host.role = role;
  host.clock = report::Clock{.source = std::string(site.clock.source_name()),
                             .ns_per_tick = site.clock.NanosecondsPerTick(),
                             .drift_ppm = std::nullopt};
  host.device = DescribeDevice(site, gid);
  host.placement = report::Placement{.device_node = site.placement.device_node,
                                     .worker_cpus = site.placement.worker_cpus,
                                     .session_cpu = site.placement.session_cpu,
                                     .memory_node = site.placement.memory_node,
                                     .reason = site.placement.reason};
  return host;
}

}  // namespace rdmabench
