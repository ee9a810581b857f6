#include "report/text_percentiles.h"

#include <algorithm>

#include "report/percentile.h"
#include "report/text_quantity.h"
#include "report/text_table.h"

namespace rdmabench::report {
namespace {

std::string IntervalCell(const Latency& latency, double percent) {
  const Percentile* found = FindPercentile(latency, percent);
  if (found == nullptr || !found->ci95) return "-";
  return Microseconds(found->ci95->low_ns) + " to " + Microseconds(found->ci95->high_ns);
}

}  // namespace

std::string Microseconds(double ns) { return Fixed(ns / 1e3, 2); }

std::vector<double> PercentsIn(std::span<const Result* const> results) {
  const auto first = std::find_if(results.begin(), results.end(),
                                  [](const Result* result) { return result->latency.has_value(); });
  std::vector<double> percents;
  if (first == results.end()) return percents;
  for (const Percentile& one : (*first)->latency->percentiles) percents.push_back(one.percent);
  return percents;
}

std::string PercentileTitle(double percent) { return PercentileName(percent) + " us"; }

std::string PercentileCell(const Latency& latency, double percent) {
  const Percentile* found = FindPercentile(latency, percent);
  return found != nullptr && found->ns ? Microseconds(*found->ns) : "-";
}

std::string PercentileIntervals(std::span<const Result* const> results) {
  const std::vector<double> percents = PercentsIn(results);
  std::vector<TextTable::Column> titles{{"bytes", Align::kRight, 9}};
  for (const double percent : percents) titles.push_back({PercentileTitle(percent)});
  TextTable table(titles);
  bool has_any = false;
  for (const Result* result : results) {
    std::vector<std::string> cells{std::to_string(result->message_bytes)};
    for (const double percent : percents) {
      cells.push_back(result->latency ? IntervalCell(*result->latency, percent) : "-");
      has_any = has_any || cells.back() != "-";
    }
    table.AddRow(std::move(cells));
  }
  if (!has_any) return {};
  return "\n  95 % intervals of the percentiles, if samples are independent:\n" + table.Render(2);
}

}  // namespace rdmabench::report
