#include "report/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string_view>

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

std::string Field(const std::optional<double>& value) {
  return value ? Field(*value) : std::string();
}

std::string LatencyField(const Result& result, auto Latency::*member) {
  return result.latency ? Field(*result.latency.*member) : std::string();
}

std::string ServiceField(const Result& result, auto Latency::*member) {
  return result.open_loop ? Field(result.open_loop->service.*member) : std::string();
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

struct Column {
  std::string_view name;
  std::string (*field)(const Report& report, const Result& result);
};

constexpr Column kColumns[] = {
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
    {"p50_ns", [](const Report&, const Result& r) { return LatencyField(r, &Latency::p50_ns); }},
    {"p90_ns", [](const Report&, const Result& r) { return LatencyField(r, &Latency::p90_ns); }},
    {"p99_ns", [](const Report&, const Result& r) { return LatencyField(r, &Latency::p99_ns); }},
    {"p99_9_ns",
     [](const Report&, const Result& r) { return LatencyField(r, &Latency::p99_9_ns); }},
    {"p99_99_ns",
     [](const Report&, const Result& r) { return LatencyField(r, &Latency::p99_99_ns); }},
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
    {"service_p50_ns",
     [](const Report&, const Result& r) { return ServiceField(r, &Latency::p50_ns); }},
    {"service_p99_ns",
     [](const Report&, const Result& r) { return ServiceField(r, &Latency::p99_ns); }},
    {"lost_messages", [](const Report&, const Result& r) { return LostField(r); }},
    {"duplicated_messages",
     [](const Report&, const Result& r) { return ArrivalsField(r, &Arrivals::duplicated); }},
    {"reordered_messages",
     [](const Report&, const Result& r) { return ArrivalsField(r, &Arrivals::reordered); }},
};

std::string Quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string RenderCsv(const Report& report) {
  std::string csv;
  for (const Column& column : kColumns) {
    csv += (csv.empty() ? "" : ",") + std::string(column.name);
  }
  csv += "\n";
  for (const Result& result : report.results) {
    std::string line;
    for (const Column& column : kColumns) {
      if (&column != &kColumns[0]) line += ",";
      line += Quoted(column.field(report, result));
    }
    csv += line + "\n";
  }
  return csv;
}

}  // namespace rdmabench::report
