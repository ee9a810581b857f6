#include "bench/surroundings.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "transport/counter_table.h"
#include "transport/ethtool.h"
#include "transport/qdisc.h"

namespace rdmabench {
namespace {

constexpr std::string_view kSysfs = "/sys";

// The device's interface is that of its first port.
std::string NetdevOf(const Site& site) {
  if (site.port.number == 1) return site.device.info().netdev;
  return site.port.gids.empty() ? std::string() : site.port.gids.front().netdev;
}

PortCounters CountersOf(const Site& site) {
  const DeviceInfo& info = site.device.info();
  const std::string netdev = NetdevOf(site);
  PortCounters counters = ReadCounters(kSysfs, info.name, site.port.number);
  if (netdev.empty()) return counters;
  counters.merge(ReadNetdev(kSysfs, netdev));
  counters.merge(ReadQdisc(netdev));
  counters.merge(ReadEthtool(netdev, info.driver));
  return counters;
}

// Those that moved, and those of packets in any case: that they did not move says something, too.
report::CounterDeltas Deltas(const Site& site, const PortCounters& before,
                             const PortCounters& after) {
  CounterMoves moves = Moves(before, after);
  for (const auto& [name, value] : after) {
    const CounterMeaning* meaning = FindCounter(site.device.info().driver, name);
    if (meaning != nullptr && meaning->CountsPackets()) moves.try_emplace(name, 0);
  }
  return {moves.begin(), moves.end()};
}

}  // namespace

Surroundings::Surroundings(const Site& site)
    : site_(site), counters_(CountersOf(site)), opened_(Now()) {}

void Surroundings::Close(SideRun& run) const {
  const Moment closed = Now();
  const CpuTime process = closed.process - opened_.process;
  if (!run.cpu) run.cpu.emplace();
  run.cpu->elapsed_seconds = std::chrono::duration<double>(closed.at - opened_.at).count();
  run.cpu->process = {process.user_seconds, process.system_seconds};
  if (closed.softirq_seconds && opened_.softirq_seconds) {
    run.cpu->host_softirq_seconds =
        std::max(0.0, *closed.softirq_seconds - *opened_.softirq_seconds);
  }
  run.counters = Deltas(site_, counters_, CountersOf(site_));
}

Surroundings::Moment Surroundings::Now() {
  return {.at = std::chrono::steady_clock::now(),
          .process = ProcessCpuTime(),
          .softirq_seconds = HostSoftirqSeconds("/proc")};
}

}  // namespace rdmabench
