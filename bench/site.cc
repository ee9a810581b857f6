#include "bench/site.h"

#include "report/context.h"
#include "transport/irq_affinity.h"

namespace rdmabench {
namespace {

Device OpenDevice(const Local& local, std::string_view session_ip) {
  return local.device ? Device::Open(*local.device) : Device::OpenFor(session_ip);
}

std::optional<std::string> Known(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// The reading of files beside the device's: what else its cores have to do.
PlacementRequest RequestFor(const Local& local, const DeviceInfo& info, std::size_t workers) {
  return {.device = PositionOf(info),
          .workers = workers,
          .choice = local.placement,
          .busy_cpus = CpusServing(ReadIrqs("/", info.pcie_address, info.netdev))};
}

report::Placement DescribePlacement(const Placement& placement) {
  return {.device_node = placement.device_node,
          .worker_cpus = placement.worker_cpus,
          .worker_nodes = placement.worker_nodes,
          .worker_cores = placement.worker_cores,
          .session_cpu = placement.session_cpu,
          .memory_node = placement.memory_node,
          .distance = placement.distance,
          .reason = placement.Reason()};
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
      placement(locality.Place(RequestFor(local, device.info(), workers))),
      memory_arguments(local.memory_arguments) {
  if (placement.memory_node) locality.PreferMemoryOf(*placement.memory_node);
}

void CheckPlacement(const PlacementChoice& choice) {
  if (choice.cpus.empty() && !choice.numa_node) return;
  Locality().Place({.device = {}, .choice = choice});
}

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
  host.placement = DescribePlacement(site.placement);
  return host;
}

}  // namespace rdmabench
