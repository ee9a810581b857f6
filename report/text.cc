#include "report/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <set>
#include <span>

#include "report/printable.h"
#include "report/text_phrase.h"
#include "report/text_results.h"
#include "report/text_table.h"

namespace rdmabench::report {
namespace {

using Words = std::vector<std::string>;

std::string ShortNumber(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string Prefixed(const std::string& prefix, const std::optional<std::string>& text) {
  return text && !text->empty() ? prefix + *text : std::string();
}

std::string Prefixed(const std::string& prefix, const std::optional<unsigned>& number) {
  return number ? prefix + std::to_string(*number) : std::string();
}

std::string NameOf(const Host& host) {
  return host.name + (host.address ? " (" + *host.address + ")" : "");
}

std::string CpuOf(const Host& host) {
  return Joined({host.cpu.value_or(""), Prefixed("governor ", host.governor)}, ", ");
}

std::string DeviceOf(const Host& host) {
  if (!host.device) return {};
  const Device& device = *host.device;
  return Joined({device.name + " port " + std::to_string(device.port), device.driver.value_or(""),
                 Prefixed("firmware ", device.firmware)},
                ", ");
}

std::string InterfaceOf(const Host& host) {
  if (!host.device) return {};
  return Joined({host.device->netdev.value_or(""), Prefixed("PCIe ", host.device->pcie_address)},
                ", ");
}

std::string LinkOf(const Host& host) {
  if (!host.device) return {};
  const Device& device = *host.device;
  return Joined(
      {device.link_layer, device.link_gbps ? ShortNumber(*device.link_gbps) + " Gb/s" : "",
       "MTU " + std::to_string(device.active_mtu_bytes) + " B",
       device.lid ? "LID " + std::to_string(*device.lid) : ""},
      ", ");
}

std::string GidOf(const Host& host) {
  if (!host.device || !host.device->gid) return {};
  const Gid& gid = *host.device->gid;
  return Joined({std::to_string(gid.index), gid.type, gid.text}, ", ");
}

std::string CoresOf(const Host& host) {
  if (!host.placement) return {};
  Words workers;
  for (const unsigned cpu : host.placement->worker_cpus) workers.push_back(std::to_string(cpu));
  const std::string numbers = Joined(workers, " ");
  return Joined({numbers.empty() ? "not pinned" : "workers " + numbers,
                 Prefixed("session ", host.placement->session_cpu)},
                ", ");
}

std::string NodesOf(const Host& host) {
  if (!host.placement) return {};
  const Placement& placement = *host.placement;
  const std::string pages =
      placement.pages_on_node ? " (" + ShortNumber(*placement.pages_on_node * 100) + " % of pages)"
                              : "";
  const std::string memory = Prefixed("memory ", placement.memory_node);
  return Joined({Prefixed("device ", placement.device_node), memory.empty() ? "" : memory + pages,
                 Prefixed("distance ", placement.distance)},
                ", ");
}

std::string ClockOf(const Host& host) {
  if (!host.clock) return {};
  const auto& drift = host.clock->drift_ppm;
  return Joined({host.clock->source, drift ? "drift " + ShortNumber(*drift) + " ppm" : ""}, ", ");
}

struct HostRow {
  const char* label;
  std::string (*text)(const Host& host);
};

constexpr HostRow kHostRows[] = {
    {"", [](const Host& host) { return host.role; }},
    {"host", NameOf},
    {"kernel", [](const Host& host) { return host.kernel.value_or(""); }},
    {"cpu", CpuOf},
};

constexpr HostRow kDeviceRows[] = {
    {"device", DeviceOf}, {"interface", InterfaceOf}, {"link", LinkOf},
    {"GID", GidOf},       {"cores", CoresOf},         {"NUMA nodes", NodesOf},
};

constexpr HostRow kLastRows[] = {{"clock", ClockOf}};

// The host as if the device at this place were its only one; where there is none, without any.
Host WithDevice(const Host& host, std::size_t rail) {
  Host with = host;
  if (host.rails.empty() && rail == 0) return with;
  with.device.reset();
  with.placement.reset();
  if (rail < host.rails.size()) {
    with.device = host.rails[rail].device;
    with.placement = host.rails[rail].placement;
  }
  return with;
}

// Each device of the host as a host of its own.
std::vector<Host> ByDevice(const std::vector<Host>& hosts) {
  std::vector<Host> all;
  for (const Host& host : hosts) {
    for (std::size_t i = 0; i < std::max<std::size_t>(host.rails.size(), 1); ++i) {
      all.push_back(WithDevice(host, i));
    }
  }
  return all;
}

// Why the cores and nodes are those: once, where it is the same for all hosts.
std::string PlacementReasons(const std::vector<Host>& hosts) {
  Words lines;
  std::set<std::string> reasons;
  for (const Host& host : hosts) {
    const std::string reason = host.placement ? Printable(host.placement->reason) : "";
    reasons.insert(reason);
    if (!reason.empty()) lines.push_back("  placement, " + Printable(host.role) + ": " + reason);
  }
  if (lines.empty()) return {};
  if (reasons.size() == 1) return "  placement: " + *reasons.begin() + "\n";
  return Joined(lines, "\n") + "\n";
}

// Side by side; a row that no host has something for is left out.
std::string HostsBlock(const std::vector<Host>& hosts) {
  if (hosts.empty()) return {};
  TextTable table(std::vector<TextTable::Column>(hosts.size() + 1, {"", Align::kLeft}));
  const auto add = [&table](std::span<const HostRow> rows, const std::vector<Host>& shown) {
    for (const HostRow& row : rows) {
      Words cells{row.label};
      bool known = false;
      for (const Host& host : shown) {
        cells.push_back(Printable(row.text(host)));
        known = known || !cells.back().empty();
      }
      if (known) table.AddRow(std::move(cells));
    }
  };
  add(kHostRows, hosts);
  std::size_t rails = 1;
  for (const Host& host : hosts) rails = std::max(rails, host.rails.size());
  for (std::size_t i = 0; i < rails; ++i) {
    std::vector<Host> with;
    with.reserve(hosts.size());
    for (const Host& host : hosts) with.push_back(WithDevice(host, i));
    add(kDeviceRows, with);
  }
  add(kLastRows, hosts);
  return "\n" + table.Render(2) + PlacementReasons(ByDevice(hosts));
}

std::string WarningsBlock(const Words& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += "warning: " + Printable(warning) + "\n";
  return text.empty() ? text : "\n" + text;
}

// Of a Failure or a Reason.
template <class T>
std::string Sentence(const T& reason) {
  const std::string place =
      Joined(Words{reason.host, Prefixed("while ", std::optional(reason.step))}, ", ");
  return Printable(Joined(Words{place, reason.message}, ": "));
}

std::string PeerSentence(const Failure& failure) {
  return failure.peer ? "; peer: " + Sentence(*failure.peer) : std::string();
}

std::string FailuresBlock(const std::vector<TestFailure>& failures) {
  std::string text;
  for (const TestFailure& failure : failures) {
    text += "failed: test " + std::to_string(failure.plan_index + 1) + ", " +
            Printable(failure.test) + ": " + Sentence(failure.error) + PeerSentence(failure.error) +
            "\n";
  }
  return text.empty() ? text : "\n" + text;
}

std::string ErrorBlock(const Failure& failure) {
  std::string text = "\nerror: " + Sentence(failure) + "\n";
  if (!failure.remedy.empty()) text += "remedy: " + Printable(failure.remedy) + "\n";
  if (!failure.peer) return text;
  text += "peer: " + Sentence(*failure.peer) + "\n";
  if (!failure.peer->remedy.empty()) {
    text += "remedy there: " + Printable(failure.peer->remedy) + "\n";
  }
  return text;
}

}  // namespace

std::string RenderText(const Report& report) {
  std::string text = Printable(report.tool.name + " " + report.tool.version);
  if (!report.tool.commit.empty()) text += " (" + Printable(report.tool.commit) + ")";
  text += Printable(Prefixed(", ", std::optional(report.started_at)));
  if (report.status == Status::kRunning) text += ", running";
  if (report.status == Status::kPartial) text += ", partial";
  if (report.status == Status::kFailed) text += ", failed";
  text += "\n";
  text += HostsBlock(report.hosts);
  if (!report.results.empty()) text += "\n" + RenderResults(report);
  text += FailuresBlock(report.failures);
  text += WarningsBlock(report.warnings);
  if (report.error) text += ErrorBlock(*report.error);
  return text;
}

}  // namespace rdmabench::report
