#include "report/text_results.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>
#include <tuple>

#include "report/printable.h"
#include "report/repetition.h"
#include "report/text_cost.h"
#include "report/text_delivery.h"
#include "report/text_memory.h"
#include "report/text_open_loop.h"
#include "report/text_percentiles.h"
#include "report/text_phrase.h"
#include "report/text_quantity.h"
#include "report/text_rails.h"
#include "report/text_runs.h"
#include "report/text_table.h"

namespace rdmabench::report {
namespace {

// Results that differ in size only. Never empty.
using Group = std::vector<const Result*>;

std::vector<Group> GroupByTest(const std::vector<Result>& results) {
  const auto key = [](const Result& r) {
    return std::tie(r.plan_index, r.test, r.qp_type, r.queue_pairs, r.threads, r.from, r.to);
  };
  std::vector<Group> groups;
  for (const Result& result : results) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& other) {
      return key(*other.front()) == key(result);
    });
    if (group == groups.end()) {
      groups.push_back({&result});
    } else {
      group->push_back(&result);
    }
  }
  return groups;
}

std::string Plural(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string QueuePairs(const Group& group) {
  const Result& first = *group.front();
  return Printable(first.qp_type) + ", " + Plural(first.queue_pairs, "queue pair") + ", " +
         Plural(first.threads, "thread") + DevicesPhrase(first) + ", " +
         Plural(first.effective.completion_queues, "completion queue") + ", MTU " +
         std::to_string(first.effective.mtu_bytes) + " B";
}

std::string Requests(const Group& group) {
  const Effective& effective = group.front()->effective;
  std::string text =
      "depth " + Across(group, [](const Effective& e) { return e.send_depth; }) + ", post list " +
      Across(group, [](const Effective& e) { return e.post_list; }) + ", signalled every " +
      Across(group, [](const Effective& e) { return e.signal_every; });
  if (effective.recv_depth) {
    text += ", receive depth " + std::to_string(*effective.recv_depth) + " posted by " +
            std::to_string(effective.recv_post_list.value_or(1));
  }
  if (effective.read_depth) text += ", " + std::to_string(*effective.read_depth) + " outstanding";
  return text;
}

std::string Inline(const Group& group) {
  std::uint64_t largest = 0;
  bool used = false;
  for (const Result* result : group) {
    if (!result->effective.inline_used) continue;
    used = true;
    largest = std::max(largest, result->message_bytes);
  }
  const std::string granted =
      Across(group, [](const Effective& e) { return e.inline_bytes; }) + " B granted, ";
  return granted + (used ? "used up to " + Size(largest) : "not used");
}

std::string Verified(const Group& group) {
  const Verification& verification = *group.front()->verification;
  return "every message is looked at" +
         std::string(verification.in_timed_loop ? " while the clock runs" : " between laps") +
         ", seed " + std::to_string(verification.seed) + "; no measurement of the fabric";
}

std::string GidText(const Gid& gid) {
  return std::to_string(gid.index) + ", " + Printable(gid.type) + ", " + Printable(gid.text);
}

bool IsGidOf(const Report& report, std::size_t host, const Gid& gid) {
  if (host >= report.hosts.size() || !report.hosts[host].device) return false;
  const std::optional<Gid>& chosen = report.hosts[host].device->gid;
  return chosen && std::tie(chosen->index, chosen->type, chosen->text) ==
                       std::tie(gid.index, gid.type, gid.text);
}

// Empty where there is no pair, or the block of the hosts shows it already.
std::string GidPair(const Report& report, const Result& result) {
  const Effective& effective = result.effective;
  if (!effective.client_gid || !effective.server_gid) return {};
  const bool from_server =
      result.from < report.hosts.size() && report.hosts[result.from].role == "server";
  const Gid& from = from_server ? *effective.server_gid : *effective.client_gid;
  const Gid& to = from_server ? *effective.client_gid : *effective.server_gid;
  if (IsGidOf(report, result.from, from) && IsGidOf(report, result.to, to)) return {};
  return GidText(from) + " → " + GidText(to);
}

std::string Basis(const Result& result) {
  if (!result.latency) return {};
  if (result.open_loop) return ", full round trips from the planned time";
  return result.latency->basis == "round_trip" ? ", full round trips" : ", half round trips";
}

std::string Agreed(const Report& report, const Group& group) {
  const Result& first = *group.front();
  TextTable rows({{"", Align::kLeft}, {"", Align::kLeft}});
  const std::string gids = GidPair(report, first);
  rows.AddRow({"queue pairs", QueuePairs(group)});
  const std::string pairs = PairsPhrase(report, first);
  if (!pairs.empty()) rows.AddRow({"devices", pairs});
  if (!gids.empty()) rows.AddRow({"GIDs", gids});
  rows.AddRow({"requests", Requests(group)});
  rows.AddRow({"inline", Inline(group)});
  rows.AddRow({"memory", MemoryText(group)});
  const std::string kind = MemoryKindText(group.front()->memory);
  if (!kind.empty()) rows.AddRow({"memory kind", kind});
  rows.AddRow({"run", LengthText(group)});
  const std::string shared = SharedWindowText(group);
  if (!shared.empty()) rows.AddRow({"windows", shared});
  if (first.verification) rows.AddRow({"verified", Verified(group)});
  return Printable(first.test) + ": " + HostName(report, first.from) +
         (first.bidirectional ? " ↔ " : " → ") + HostName(report, first.to) + Basis(first) + "\n" +
         rows.Render(2);
}

// Messages that did not arrive, or replies that did not come.
std::uint64_t Lost(const Result& result) {
  std::uint64_t lost = result.latency ? result.latency->lost_replies : 0;
  if (result.latency) return lost;
  for (const Direction& direction : result.traffic) {
    if (direction.delivery) lost += direction.delivery->lost.value_or(0);
  }
  return lost;
}

struct Column {
  std::string_view title;
  std::size_t width;
  std::string (*cell)(const Result& result);
};

constexpr Column kRunColumns[] = {
    {"run", 4, [](const Result& r) { return std::to_string(r.run.value_or(0)); }},
};

constexpr Column kColumns[] = {
    {"bytes", 9, [](const Result& r) { return std::to_string(r.message_bytes); }},
    {"messages", 11, [](const Result& r) { return std::to_string(r.messages); }},
    {"window s", 8, [](const Result& r) { return Fixed(r.window_seconds, 3); }},
};

constexpr Column kBandwidthColumns[] = {
    {"Gb/s", 8, [](const Result& r) { return Fixed(Gbps(r.bandwidth->bytes_per_second), 3); }},
    {"MiB/s", 10,
     [](const Result& r) { return Fixed(r.bandwidth->bytes_per_second / (1 << 20), 2); }},
    {"M msg/s", 10,
     [](const Result& r) { return Fixed(r.bandwidth->messages_per_second / 1e6, 6); }},
};

constexpr Column kLatencyColumns[] = {
    {"min us", 9, [](const Result& r) { return Microseconds(r.latency->min_ns); }},
    {"mean us", 9, [](const Result& r) { return Microseconds(r.latency->mean_ns); }},
    {"stdev us", 9, [](const Result& r) { return Microseconds(r.latency->stdev_ns); }},
};

constexpr Column kMaximumColumns[] = {
    {"max us", 10, [](const Result& r) { return Microseconds(r.latency->max_ns); }},
};

constexpr Column kOpenLoopColumns[] = {
    {"offered/s", 10,
     [](const Result& r) { return Fixed(r.open_loop->offered_messages_per_second, 0); }},
    {"achieved/s", 10,
     [](const Result& r) { return Fixed(r.open_loop->achieved_messages_per_second, 0); }},
    {"late most", 9, [](const Result& r) { return std::to_string(r.open_loop->backlog_max); }},
    {"svc p50 us", 10, [](const Result& r) { return PercentileCell(r.open_loop->service, 50.0); }},
    {"svc p99 us", 10, [](const Result& r) { return PercentileCell(r.open_loop->service, 99.0); }},
};

constexpr Column kLostColumns[] = {
    {"lost", 8, [](const Result& r) { return std::to_string(Lost(r)); }},
};

constexpr Column kVerifiedColumns[] = {
    {"checked", 11,
     [](const Result& r) { return std::to_string(r.verification->checked_messages); }},
    {"bad", 6, [](const Result& r) { return std::to_string(r.verification->bad_messages); }},
};

constexpr Column kMissingColumns[] = {
    {"missing", 8,
     [](const Result& r) { return std::to_string(r.verification->missing_messages); }},
};

constexpr Column kSpreadColumns[] = {
    {"min Gb/s", 8,
     [](const Result& r) { return Fixed(Gbps(r.bandwidth->spread->min_bytes_per_second), 3); }},
    {"peak Gb/s", 9,
     [](const Result& r) { return Fixed(Gbps(r.bandwidth->spread->peak_bytes_per_second), 3); }},
    {"±95 % Gb/s", 10,
     [](const Result& r) {
       const Spread& spread = *r.bandwidth->spread;
       const double width = spread.ci95_high_bytes_per_second - spread.ci95_low_bytes_per_second;
       return Fixed(Gbps(width / 2.0), 3);
     }},
};

bool HasRun(const Result& result) { return result.run.has_value(); }
bool HasLatency(const Result& result) { return result.latency.has_value(); }
bool HasLost(const Result& result) { return Lost(result) > 0; }
bool IsOpenLoop(const Result& result) { return result.open_loop.has_value(); }
bool HasVerification(const Result& result) { return result.verification.has_value(); }
bool HasMissing(const Result& result) {
  return result.verification && result.verification->missing_messages > 0;
}
bool HasBandwidth(const Result& result) { return result.bandwidth.has_value(); }
bool HasSpread(const Result& result) { return result.bandwidth && result.bandwidth->spread; }

// Columns that show something for those results that `known` holds for.
struct ColumnSet {
  std::span<const Column> columns;
  bool (*known)(const Result& result);
  bool then_percentiles = false;
};

constexpr ColumnSet kColumnSets[] = {
    {kRunColumns, HasRun},
    {kColumns, [](const Result&) { return true; }},
    {kBandwidthColumns, HasBandwidth},
    {kSpreadColumns, HasSpread},
    {kLatencyColumns, HasLatency, /*then_percentiles=*/true},
    {kMaximumColumns, HasLatency},
    {kOpenLoopColumns, IsOpenLoop},
    {kLostColumns, HasLost},
    {kVerifiedColumns, HasVerification},
    {kMissingColumns, HasMissing},
};

std::string Table(const Group& group) {
  const std::vector<double> percents = PercentsIn(group);
  std::vector<ColumnSet> shown;
  std::vector<TextTable::Column> titles;
  for (const ColumnSet& set : kColumnSets) {
    const auto known = [&](const Result* result) { return set.known(*result); };
    if (std::none_of(group.begin(), group.end(), known)) continue;
    shown.push_back(set);
    for (const Column& column : set.columns) {
      titles.push_back({std::string(column.title), Align::kRight, column.width});
    }
    if (!set.then_percentiles) continue;
    for (const double percent : percents) {
      titles.push_back({PercentileTitle(percent), Align::kRight, 9});
    }
  }
  titles.push_back({"", Align::kLeft});
  TextTable table(titles);
  for (const Result* result : group) {
    std::vector<std::string> cells;
    for (const ColumnSet& set : shown) {
      for (const Column& column : set.columns) {
        cells.push_back(set.known(*result) ? column.cell(*result) : "-");
      }
      if (!set.then_percentiles) continue;
      for (const double percent : percents) {
        cells.push_back(result->latency ? PercentileCell(*result->latency, percent) : "-");
      }
    }
    cells.emplace_back(result->complete ? "" : "incomplete");
    table.AddRow(std::move(cells));
  }
  return table.Render(2);
}

// A figure as people write it: whole numbers, which counts are, without an exponent.
std::string Figure(double value) {
  constexpr double kExact = 9007199254740992.0;  // above it doubles skip whole numbers
  if (value == std::floor(value) && std::abs(value) <= kExact) return Fixed(value, 0);
  return Significant(value, 9);
}

std::string FailedChecks(const Group& group) {
  std::string text;
  for (const Result* result : group) {
    for (const Check& check : result->checks) {
      if (check.ok) continue;
      text += "  check failed at " + Size(result->message_bytes) +
              (result->run ? " in run " + std::to_string(*result->run) : "") + ": " +
              Printable(check.name);
      if (!check.text.empty()) text += ": " + Printable(check.text);
      std::string figures;
      for (const auto& [name, value] : check.figures) {
        AppendWord(figures, Printable(name) + " " + Figure(value));
      }
      text += figures.empty() ? "\n" : " (" + figures + ")\n";
    }
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string RenderResults(const Report& report) {
  std::string text;
  const std::vector<Repetition> repetitions = RepetitionsOf(report.results);
  for (const Group& group : GroupByTest(report.results)) {
    text += (text.empty() ? "" : "\n") + Agreed(report, group) + "\n" + Table(group);
    text += RailLines(group) + PercentileIntervals(group);
    text += LoopNotes(group) + SloNotes(report.slo, group.front()->plan_index);
    const std::string notes = RenderBounds(group) + RenderCpu(group) + DeliveryLines(report, group);
    text += RepetitionLines(repetitions, group.front()->plan_index);
    text += (notes.empty() ? "" : "\n" + notes) + FailedChecks(group);
  }
  return text;
}

}  // namespace rdmabench::report
