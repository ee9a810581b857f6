#include "transport/counters.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include "transport/unsigned_number.h"

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

void ReadDirectory(const fs::path& directory, PortCounters& counters,
                   const std::string& prefix = {}) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::ifstream file(entry->path());
    std::uint64_t value = 0;
    // `lifespan` among them is a setting, which does no harm: it does not move.
    if (file >> value) counters[prefix + entry->path().filename().string()] = value;
  }
}

// The kernel's copy is older than what was moved until now.
void OutliveTheCopy(const fs::path& hw_counters) {
  constexpr int kLongestMs = 100;
  std::ifstream file(hw_counters / "lifespan");
  int milliseconds = 0;
  if (!(file >> milliseconds)) return;
  std::this_thread::sleep_for(
      std::chrono::milliseconds(std::clamp(milliseconds, 0, kLongestMs) + 1));
}

}  // namespace

PortCounters ReadCounters(std::string_view root, std::string_view device, int port) {
  const fs::path directory =
      fs::path(root) / "class" / "infiniband" / fs::path(device) / "ports" / std::to_string(port);
  PortCounters counters;
  OutliveTheCopy(directory / "hw_counters");
  ReadDirectory(directory / "counters", counters);
  ReadDirectory(directory / "hw_counters", counters);
  return counters;
}

PortCounters ReadNetdev(std::string_view root, std::string_view netdev) {
  PortCounters counters;
  if (netdev.empty()) return counters;
  ReadDirectory(fs::path(root) / "class" / "net" / netdev / "statistics", counters, "netdev_");
  return counters;
}

PortCounters ReadIp(std::string_view root) {
  struct Row {
    std::string_view in_snmp;   // of IPv4: a column of the line "Ip:"
    std::string_view in_snmp6;  // of IPv6: a line
    std::string_view name;
  };
  constexpr Row kIp[] = {{"FragFails", "Ip6FragFails", "frag_fails"},
                         {"OutNoRoutes", "Ip6OutNoRoutes", "out_no_routes"}};
  PortCounters counters;
  const auto put = [&](std::string_view prefix, auto column, std::string_view found,
                       std::uint64_t value) {
    for (const Row& row : kIp) {
      if (row.*column == found) counters[std::string(prefix) + std::string(row.name)] = value;
    }
  };
  const fs::path net = fs::path(root) / "net";
  std::ifstream ipv4(net / "snmp");
  std::string names;
  std::string values;
  while (std::getline(ipv4, names) && std::getline(ipv4, values)) {
    if (!names.starts_with("Ip: ")) continue;
    std::istringstream each_name(names);
    std::istringstream each_value(values);
    std::string name;
    std::string value;
    while (each_name >> name && each_value >> value) {
      if (const auto number = ParseUnsigned(value)) put("ip_", &Row::in_snmp, name, *number);
    }
  }
  std::ifstream ipv6(net / "snmp6");
  std::string name;
  std::uint64_t value = 0;
  while (ipv6 >> name >> value) put("ip6_", &Row::in_snmp6, name, value);
  return counters;
}

CounterMoves Moves(const PortCounters& before, const PortCounters& after) {
  CounterMoves moves;
  for (const auto& [name, value] : after) {
    const auto earlier = before.find(name);
    if (earlier == before.end() || earlier->second == value) continue;
    // Unsigned, so that one that wrapped is right, too.
    moves[name] = static_cast<std::int64_t>(value - earlier->second);
  }
  return moves;
}

}  // namespace rdmabench
