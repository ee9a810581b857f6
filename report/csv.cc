#include "report/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "report/percentile.h"
#include "report/printable.h"

namespace rdmabench::report {
namespace {

std::string Field(std::integral auto value) { return std::to_string(value); }

std::string Field(bool value) { return value ? "true" : "false"; }

// As few digits as read back to the same number, without an exponent, which not every reader knows.
std::string Field(double value) {
  if (!std::isfinite(value)) return {};
  std::array<char, 400> text{};  // the largest double has 309 digits
  const auto format = std::chars_format::fixed;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format).ptr;
  return {text.data(), end};
}

std::string Field(const std::string& value) { return Printable(value); }

std::string Field(const std::optional<double>& value) {
  return value ? Field(*value) : std::string();
}

template <class T>
std::string Field(const std::optional<T>& from, auto T::*member) {
  return from ? Field(*from.*member) : std::string();
}

std::string HostName(const Report& report, std::size_t index) {
  return index < report.hosts.size() ? Field(report.hosts[index].name) : std::string();
}

bool AllOk(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.ok; });
}

std::string SpreadField(const Result& result, auto Spread::*member) {
  return result.bandwidth ? Field(result.bandwidth->spread, member) : std::string();
}

std::string LatencyField(const Result& result, auto Latency::*member) {
  return result.latency ? Field(*result.latency.*member) : std::string();
}

// Sums over the directions; empty where one is not known.
std::string LostField(const Result& result) {
  std::uint64_t sum = 0;
  for (const Direction& direction : result.traffic) {
    if (!direction.delivery || !direction.delivery->lost) return {};
    sum += *direction.delivery->lost;
  }
  return result.traffic.empty() ? std::string() : Field(sum);
}

std::string ArrivalsField(const Result& result, std::uint64_t Arrivals::*member) {
  Arrivals sum;
  for (const Direction& direction : result.traffic) {
    if (!direction.delivery || !direction.delivery->arrivals) return {};
    sum += *direction.delivery->arrivals;
  }
  return result.traffic.empty() ? std::string() : Field(sum.*member);
}

std::string LowestBound(const Report&, const Result& result) {
  if (!result.bounds || !result.bounds->lowest) return {};
  return Field(result.bounds->limits[*result.bounds->lowest].bytes_per_second);
}

std::string CpuField(const Result& result, const std::optional<CpuCost>& cost) {
  if (!cost || result.messages == 0) return {};
  return Field(cost->process.Sum() / static_cast<double>(result.messages));
}

// The objective that the result is a probe of; null where there is none.
const Slo* SloOf(const Report& report, const Result& result) {
  const auto found = std::find_if(report.slo.begin(), report.slo.end(), [&](const Slo& slo) {
    return slo.plan_index == result.plan_index && slo.message_bytes == result.message_bytes;
  });
  return found == report.slo.end() ? nullptr : &*found;
}

// Whether the rate is the highest of them at which it holds.
std::string IsHighestHeld(const Report& report, const Result& result) {
  const Slo* slo = SloOf(report, result);
  if (slo == nullptr) return {};
  const auto index = static_cast<std::size_t>(&result - report.results.data());
  return Field(slo->highest_held_result == index);
}

std::string SloField(const Report& report, const Result& result, double Slo::*member) {
  const Slo* slo = SloOf(report, result);
  return slo == nullptr ? std::string() : Field(slo->*member);
}

struct FixedColumn {
  std::string_view name;
  std::string (*field)(const Report& report, const Result& result);
};

constexpr FixedColumn kColumnsBeforePercentiles[] = {
    {"test", [](const Report&, const Result& r) { return Field(r.test); }},
    {"op", [](const Report&, const Result& r) { return Field(r.op); }},
    {"metric", [](const Report&, const Result& r) { return Field(r.metric); }},
    {"qp_type", [](const Report&, const Result& r) { return Field(r.qp_type); }},
    {"message_bytes", [](const Report&, const Result& r) { return Field(r.message_bytes); }},
    {"queue_pairs", [](const Report&, const Result& r) { return Field(r.queue_pairs); }},
    {"threads", [](const Report&, const Result& r) { return Field(r.threads); }},
    {"bidirectional", [](const Report&, const Result& r) { return Field(r.bidirectional); }},
    {"from", [](const Report& report, const Result& r) { return HostName(report, r.from); }},
    {"to", [](const Report& report, const Result& r) { return HostName(report, r.to); }},
    {"run", [](const Report&, const Result& r) { return r.run ? Field(*r.run) : std::string(); }},
    {"complete", [](const Report&, const Result& r) { return Field(r.complete); }},
    {"checks_ok", [](const Report&, const Result& r) { return Field(AllOk(r.checks)); }},
    {"mtu_bytes", [](const Report&, const Result& r) { return Field(r.effective.mtu_bytes); }},
    {"send_depth", [](const Report&, const Result& r) { return Field(r.effective.send_depth); }},
    {"post_list", [](const Report&, const Result& r) { return Field(r.effective.post_list); }},
    {"signal_every",
     [](const Report&, const Result& r) { return Field(r.effective.signal_every); }},
    {"inline_used", [](const Report&, const Result& r) { return Field(r.effective.inline_used); }},
    {"window_seconds", [](const Report&, const Result& r) { return Field(r.window_seconds); }},
    {"messages", [](const Report&, const Result& r) { return Field(r.messages); }},
    {"bytes", [](const Report&, const Result& r) { return Field(r.bytes); }},
    {"bytes_per_second",
     [](const Report&, const Result& r) {
       return Field(r.bandwidth, &Bandwidth::bytes_per_second);
     }},
    {"messages_per_second",
     [](const Report&, const Result& r) {
       return Field(r.bandwidth, &Bandwidth::messages_per_second);
     }},
    {"interval_count",
     [](const Report&, const Result& r) { return SpreadField(r, &Spread::interval_count); }},
    {"min_bytes_per_second",
     [](const Report&, const Result& r) { return SpreadField(r, &Spread::min_bytes_per_second); }},
    {"peak_bytes_per_second",
     [](const Report&, const Result& r) { return SpreadField(r, &Spread::peak_bytes_per_second); }},
    {"stdev_bytes_per_second",
     [](const Report&, const Result& r) {
       return SpreadField(r, &Spread::stdev_bytes_per_second);
     }},
    {"ci95_low_bytes_per_second",
     [](const Report&, const Result& r) {
       return SpreadField(r, &Spread::ci95_low_bytes_per_second);
     }},
    {"ci95_high_bytes_per_second",
     [](const Report&, const Result& r) {
       return SpreadField(r, &Spread::ci95_high_bytes_per_second);
     }},
    {"latency_samples",
     [](const Report&, const Result& r) { return LatencyField(r, &Latency::samples); }},
    {"min_ns", [](const Report&, const Result& r) { return LatencyField(r, &Latency::min_ns); }},
    {"mean_ns", [](const Report&, const Result& r) { return LatencyField(r, &Latency::mean_ns); }},
    {"stdev_ns",
     [](const Report&, const Result& r) { return LatencyField(r, &Latency::stdev_ns); }},
};

constexpr FixedColumn kColumnsAfterPercentiles[] = {
    {"max_ns", [](const Report&, const Result& r) { return LatencyField(r, &Latency::max_ns); }},
    {"lost_replies",
     [](const Report&, const Result& r) { return LatencyField(r, &Latency::lost_replies); }},
    {"offered_messages_per_second",
     [](const Report&, const Result& r) {
       return Field(r.open_loop, &OpenLoop::offered_messages_per_second);
     }},
    {"achieved_messages_per_second",
     [](const Report&, const Result& r) {
       return Field(r.open_loop, &OpenLoop::achieved_messages_per_second);
     }},
    {"saturated",
     [](const Report&, const Result& r) { return Field(r.open_loop, &OpenLoop::saturated); }},
    {"lost_messages", [](const Report&, const Result& r) { return LostField(r); }},
    {"duplicated_messages",
     [](const Report&, const Result& r) { return ArrivalsField(r, &Arrivals::duplicated); }},
    {"reordered_messages",
     [](const Report&, const Result& r) { return ArrivalsField(r, &Arrivals::reordered); }},
    {"bound_bytes_per_second", LowestBound},
    {"achieved_share",
     [](const Report&, const Result& r) { return Field(r.bounds, &Bounds::achieved_share); }},
    {"client_cpu_seconds_per_message",
     [](const Report&, const Result& r) { return CpuField(r, r.cpu.client); }},
    {"server_cpu_seconds_per_message",
     [](const Report&, const Result& r) { return CpuField(r, r.cpu.server); }},
};

constexpr FixedColumn kSloColumns[] = {
    {"slo_percent",
     [](const Report& report, const Result& r) { return SloField(report, r, &Slo::percentile); }},
    {"slo_most_ns",
     [](const Report& report, const Result& r) { return SloField(report, r, &Slo::most_ns); }},
    {"slo_is_highest_held", IsHighestHeld},
};

// Of each percentile: itself, and its interval.
struct PercentileColumn {
  std::string_view suffix;
  std::string (*field)(const Percentile& percentile);
};

constexpr PercentileColumn kPercentileColumns[] = {
    {"_ns", [](const Percentile& p) { return p.ns ? Field(*p.ns) : std::string(); }},
    {"_ci95_low_ns",
     [](const Percentile& p) { return Field(p.ci95, &Percentile::Interval::low_ns); }},
    {"_ci95_high_ns",
     [](const Percentile& p) { return Field(p.ci95, &Percentile::Interval::high_ns); }},
};

std::string PercentileField(const Latency& latency, double percent,
                            const PercentileColumn& column) {
  const Percentile* found = FindPercentile(latency, percent);
  return found == nullptr ? std::string() : column.field(*found);
}

// Those that were asked for beside the usual ones, whose columns come last: the others stand where
// they stand in every report.
std::vector<double> OtherPercents(const Report& report) {
  std::set<double> others;
  for (const Result& result : report.results) {
    if (!result.latency) continue;
    for (const Percentile& one : result.latency->percentiles) others.insert(one.percent);
  }
  for (const double percent : kDefaultPercents) others.erase(percent);
  return {others.begin(), others.end()};
}

// As in "p99_9_ns": a point in a name is a nuisance to most readers.
std::string NameOf(double percent, const PercentileColumn& column) {
  std::string name = PercentileName(percent);
  std::replace(name.begin(), name.end(), '.', '_');
  return name + std::string(column.suffix);
}

std::string Quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string Line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) line += ",";
    line += Quoted(field);
  }
  return line + "\n";
}

struct Column {
  std::string name;
  std::function<std::string(const Report&, const Result&)> field;
};

void Add(std::span<const FixedColumn> fixed, std::vector<Column>& columns) {
  for (const FixedColumn& column : fixed) {
    columns.push_back({std::string(column.name), column.field});
  }
}

void AddPercentiles(std::span<const double> percents, std::vector<Column>& columns) {
  for (const double percent : percents) {
    for (const PercentileColumn& column : kPercentileColumns) {
      columns.push_back(
          {NameOf(percent, column), [percent, &column](const Report&, const Result& r) {
             return r.latency ? PercentileField(*r.latency, percent, column) : std::string();
           }});
    }
  }
}

void AddServicePercentiles(std::span<const double> percents, std::vector<Column>& columns) {
  const PercentileColumn& column = kPercentileColumns[0];
  for (const double percent : percents) {
    columns.push_back(
        {"service_" + NameOf(percent, column), [percent, &column](const Report&, const Result& r) {
           return r.open_loop ? PercentileField(r.open_loop->service, percent, column)
                              : std::string();
         }});
  }
}

std::vector<Column> ColumnsOf(const Report& report) {
  std::vector<Column> columns;
  Add(kColumnsBeforePercentiles, columns);
  AddPercentiles(kDefaultPercents, columns);
  Add(kColumnsAfterPercentiles, columns);
  AddServicePercentiles(kDefaultPercents, columns);
  Add(kSloColumns, columns);
  const std::vector<double> others = OtherPercents(report);
  AddPercentiles(others, columns);
  AddServicePercentiles(others, columns);
  return columns;
}

}  // namespace

std::string RenderCsv(const Report& report) {
  const std::vector<Column> columns = ColumnsOf(report);
  std::vector<std::string> fields;
  fields.reserve(columns.size());
  for (const Column& column : columns) fields.push_back(column.name);
  std::string csv = Line(fields);
  for (const Result& result : report.results) {
    fields.clear();
    for (const Column& column : columns) fields.push_back(column.field(report, result));
    csv += Line(fields);
  }
  return csv;
}

}  // namespace rdmabench::report
