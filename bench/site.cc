#include "bench/site.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "report/context.h"
#include "transport/irq_affinity.h"
#include "transport/memory.h"
#include "transport/printable.h"

namespace rdmabench {
namespace {

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

// Of cpus that the user named each device takes the next ones.
void TakeTurns(std::vector<unsigned>& cpus, std::size_t taken) {
  if (cpus.empty()) return;
  std::rotate(cpus.begin(), cpus.begin() + static_cast<std::ptrdiff_t>(taken % cpus.size()),
              cpus.end());
}

report::Device DescribeDevice(const Rail& rail, const std::optional<Gid>& gid) {
  const DeviceInfo& info = rail.device.info();
  report::Device device{.name = info.name,
                        .driver = Known(info.driver),
                        .firmware = Known(info.firmware),
                        .netdev = Known(info.netdev),
                        .pcie_address = info.pcie_address,
                        .port = rail.port.number,
                        .link_layer = rail.port.link_layer,
                        .link_gbps = rail.port.link_gbps,
                        .data_gbps = rail.port.data_gbps,
                        .pcie = std::nullopt,
                        .active_mtu_bytes = rail.port.active_mtu_bytes,
                        .lid = std::nullopt,
                        .gid = std::nullopt};
  if (info.pcie) {
    device.pcie = report::Pcie{.gigatransfers_per_second = info.pcie->gigatransfers_per_second,
                               .lanes = info.pcie->lanes,
                               .max_payload_bytes = info.pcie->max_payload_bytes};
  }
  if (rail.port.lid != 0) device.lid = rail.port.lid;
  if (gid) device.gid = DescribeGid(*gid);
  return device;
}

}  // namespace

Site::Site(const Local& local, std::vector<OpenPort> ports, std::size_t workers)
    : memory_arguments(local.memory_arguments) {
  std::vector<PlacementRequest> requests;
  for (const OpenPort& open : ports) {
    PlacementRequest& request =
        requests.emplace_back(RequestFor(local, open.device.info(), workers));
    TakeTurns(request.choice.cpus, (requests.size() - 1) * workers);
  }
  std::vector<Placement> placements = locality.Place(requests);
  for (OpenPort& open : ports) {
    Offer offer = MakeOffer(open.device, open.port, local.gid_index);
    rails.push_back({.device = std::move(open.device),
                     .port = std::move(open.port),
                     .offer = std::move(offer),
                     .placement = std::move(placements[rails.size()]),
                     .why = open.why});
  }
  if (!rails.empty()) session_cpu = rails.front().placement.session_cpu;
  const std::vector<unsigned>& named = local.placement.cpus;
  const std::size_t used = std::min(named.size(), rails.size() * workers);
  idle = {.cpus = {named.begin() + static_cast<std::ptrdiff_t>(used), named.end()},
          .option = local.placement.cpus_option,
          .workers = used};
  std::erase_if(idle.cpus, [this](unsigned cpu) { return cpu == session_cpu; });
}

void CheckLocal(const Local& local) {
  RequireDevices(local);
  const PlacementChoice& choice = local.placement;
  if (!choice.cpus.empty() || choice.numa_node) Locality().Place({.device = {}, .choice = choice});
  for (const auto& [kind, argument] : local.memory_arguments) {
    const auto check = FindMemoryKind(kind).check_argument;
    if (check != nullptr) check(argument);
  }
}

std::optional<unsigned> Site::CpuOf(std::size_t worker) const {
  const std::vector<unsigned>& cpus = RailOf(worker).placement.worker_cpus;
  if (cpus.empty()) return std::nullopt;
  return cpus[worker / rails.size() % cpus.size()];
}

std::vector<Offer> Site::Offers() const {
  std::vector<Offer> offers;
  for (const Rail& rail : rails) offers.push_back(rail.offer);
  return offers;
}

void TakeGids(const Agreement& agreement, std::optional<Gid> Path::*side, RailGids& gids) {
  for (std::size_t i = 0; i < gids.size() && i < agreement.paths.size(); ++i) {
    if (!gids[i]) gids[i] = agreement.paths[i].*side;
  }
}

report::Gid DescribeGid(const Gid& gid) {
  return {.index = gid.index, .type = std::string(GidTypeName(gid.type)), .text = gid.Text()};
}

report::Placement DescribePlacement(const Placement& placement,
                                    std::optional<unsigned> session_cpu) {
  return {.device_node = placement.device_node,
          .worker_cpus = placement.worker_cpus,
          .worker_nodes = placement.worker_nodes,
          .worker_cores = placement.worker_cores,
          .session_cpu = session_cpu,
          .memory_node = placement.memory_node,
          .distance = placement.distance,
          .reason = Printable(placement.Reason(), report::kMostReasonBytes)};
}

report::Host DescribeSite(const Site& site, std::string_view role, const RailGids& gids) {
  report::Host host = report::DescribeHost();
  host.role = role;
  host.clock = report::Clock{.source = std::string(site.clock.source_name()),
                             .ns_per_tick = site.clock.NanosecondsPerTick(),
                             .drift_ppm = std::nullopt};
  for (std::size_t i = 0; i < site.rails.size(); ++i) {
    const Rail& rail = site.rails[i];
    report::HostRail described{
        .device = DescribeDevice(rail, i < gids.size() ? gids[i] : std::nullopt),
        .placement = DescribePlacement(rail.placement, site.session_cpu),
        .paired_by = {}};
    if (rail.why) described.paired_by = PairedByName(*rail.why);
    if (i == 0) {
      host.device = described.device;
      host.placement = described.placement;
    }
    if (site.rails.size() > 1) host.rails.push_back(std::move(described));
  }
  return host;
}

}  // namespace rdmabench
