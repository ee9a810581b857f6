#include "bench/surroundings.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "transport/counter_table.h"
#include "transport/device_info.h"
#include "transport/ethtool.h"
#include "transport/qdisc.h"

namespace rdmabench {
namespace {

constexpr std::string_view kSysfs = "/sys";
constexpr std::string_view kProc = "/proc";
constexpr std::string_view kSoftware = "rdma_rxe";

PortCounters CountersOf(const Rail& rail) {
  const DeviceInfo& info = rail.device.info();
  const std::string netdev = NetdevOf(info, rail.port);
  PortCounters counters = ReadCounters(kSysfs, info.name, rail.port.number);
  if (netdev.empty()) return counters;
  counters.merge(ReadNetdev(kSysfs, netdev));
  counters.merge(ReadQdisc(netdev));
  counters.merge(ReadEthtool(netdev, info.driver));
  return counters;
}

// Those that moved, and those of packets in any case: that they did not move says something, too.
report::CounterDeltas Deltas(const Rail& rail, const PortCounters& before,
                             const PortCounters& after) {
  CounterMoves moves = Moves(before, after);
  for (const auto& [name, value] : after) {
    const CounterMeaning* meaning = FindCounter(rail.device.info().driver, name);
    if (meaning != nullptr && meaning->CountsPackets()) moves.try_emplace(name, 0);
  }
  return {moves.begin(), moves.end()};
}

}  // namespace

std::vector<PortCounters> ReadCountersOf(const Site& site) {
  std::vector<PortCounters> counters;
  for (const Rail& rail : site.rails) counters.push_back(CountersOf(rail));
  // The kernel's own packets are the software device's; of several devices the first one has all.
  if (!counters.empty() && site.rails.front().device.info().driver == kSoftware) {
    counters.front().merge(ReadIp(kProc));
  }
  return counters;
}

std::vector<report::CounterDeltas> MovedSince(const Site& site,
                                              const std::vector<PortCounters>& before) {
  const std::vector<PortCounters> after = ReadCountersOf(site);
  std::vector<report::CounterDeltas> moved;
  for (std::size_t i = 0; i < after.size(); ++i) {
    moved.push_back(Deltas(site.rails[i], before[i], after[i]));
  }
  return moved;
}

Surroundings::Surroundings(const Site& site)
    : site_(site), counters_(ReadCountersOf(site)), opened_(Now()) {}

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
  std::vector<report::CounterDeltas> moved = MovedSince(site_, counters_);
  std::map<std::string, std::int64_t> sums;
  run.rails.resize(site_.rails.size());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    run.rails[i].counters = std::move(moved[i]);
    for (const auto& [name, move] : run.rails[i].counters) sums[name] += move;
  }
  run.counters = {sums.begin(), sums.end()};
  if (run.rails.size() == 1) run.rails.clear();
}

Surroundings::Moment Surroundings::Now() {
  return {.at = std::chrono::steady_clock::now(),
          .process = ProcessCpuTime(),
          .softirq_seconds = HostSoftirqSeconds("/proc")};
}

}  // namespace rdmabench
