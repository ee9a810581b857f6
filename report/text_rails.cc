#include "report/text_rails.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "report/printable.h"
#include "report/text_phrase.h"
#include "report/text_quantity.h"
#include "report/text_table.h"

namespace rdmabench::report {
namespace {

// In the direction in which the result goes.
std::string Pair(const Result& result, const Rail& rail) {
  const bool from_server = result.from == 1;
  const std::string& from = from_server ? rail.server_device : rail.client_device;
  const std::string& to = from_server ? rail.client_device : rail.server_device;
  return Printable(from) + (result.bidirectional ? " ↔ " : " → ") + Printable(to);
}

std::string Rate(const std::optional<double>& bytes_per_second) {
  return bytes_per_second ? Fixed(Gbps(*bytes_per_second), 3) : "-";
}

std::string Share(const Result& result, const Rail& rail) {
  std::uint64_t all = 0;
  for (const Rail& other : result.rails) all += other.messages;
  if (all == 0) return "-";
  return Fixed(100.0 * static_cast<double>(rail.messages) / static_cast<double>(all), 1);
}

}  // namespace

std::string DevicesPhrase(const Result& result) {
  if (result.rails.empty()) return {};
  return " on " + std::to_string(result.rails.size()) + " devices";
}

std::string PairsPhrase(const Report& report, const Result& result) {
  std::string pairs;
  for (const Rail& rail : result.rails) AppendWord(pairs, Pair(result, rail));
  if (pairs.empty() || report.hosts.size() < 2) return pairs;
  std::set<std::string> reasons;
  for (const HostRail& rail : report.hosts[1].rails) reasons.insert(Printable(rail.paired_by));
  reasons.erase("");
  const std::string text = Joined({reasons.begin(), reasons.end()}, " and ");
  return text.empty() ? pairs : pairs + ", paired by " + text;
}

std::string RailLines(std::span<const Result* const> results) {
  TextTable table({{"bytes", Align::kRight, 9},
                   {"messages", Align::kRight, 11},
                   {"Gb/s", Align::kRight, 8},
                   {"share %", Align::kRight, 7},
                   {"devices", Align::kLeft}});
  bool has_rails = false;
  for (const Result* result : results) {
    for (const Rail& rail : result->rails) {
      has_rails = true;
      table.AddRow({std::to_string(result->message_bytes), std::to_string(rail.messages),
                    Rate(rail.bytes_per_second), Share(*result, rail), Pair(*result, rail)});
    }
  }
  return has_rails ? "\n" + table.Render(2) : std::string();
}

}  // namespace rdmabench::report
