#include "cmd/verdict.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <string_view>
#include <utility>

#include "bench/content_check.h"
#include "bench/test.h"
#include "cmd/option_group.h"
#include "cmd/quantity.h"
#include "report/percentile.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr std::string_view kLimitPrefix = "limit_";  // of the names of checks

struct LatencyFigure {
  std::string_view name;
  double report::Latency::*member;
};

constexpr LatencyFigure kLatencyFigures[] = {
    {"min", &report::Latency::min_ns},
    {"mean", &report::Latency::mean_ns},
    {"stdev", &report::Latency::stdev_ns},
    {"max", &report::Latency::max_ns},
};

std::string LatencyFigureNames() {
  std::string names = "those of --percentiles, such as p50";
  for (const LatencyFigure& figure : kLatencyFigures) names += ", " + std::string(figure.name);
  return names;
}

// Null for a percentile.
const LatencyFigure* FindLatencyFigure(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kLatencyFigures), std::end(kLatencyFigures),
                   [name](const LatencyFigure& figure) { return figure.name == name; });
  return found == std::end(kLatencyFigures) ? nullptr : found;
}

// Absent where too few samples back it.
std::optional<double> Found(const LatencyLimit& limit, const report::Latency& latency) {
  if (const LatencyFigure* figure = FindLatencyFigure(limit.figure)) return latency.*figure->member;
  const report::Percentile* percentile = report::FindPercentile(latency, *limit.percent);
  return percentile != nullptr ? percentile->ns : std::nullopt;
}

// "p99=10us"
LatencyLimit ParseLatencyLimit(const std::string& text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  LatencyLimit limit{.figure = text.substr(0, equals), .percent = {}};
  const bool is_percentile = limit.figure.starts_with('p');
  if (equals == text.size() || (!is_percentile && FindLatencyFigure(limit.figure) == nullptr)) {
    throw Error(Blame::kUsage,
                "--limit-latency '" + text + "' is not a figure and its limit: p99=10us",
                "known figures: " + LatencyFigureNames());
  }
  if (is_percentile) {
    limit.percent = ParsePercent("--limit-latency p", limit.figure.substr(1));
    limit.figure = report::PercentileName(*limit.percent);
  }
  limit.most_ns = ParseNanoseconds("--limit-latency " + limit.figure, text.substr(equals + 1));
  return limit;
}

// "p99=10us,max=1ms".
std::vector<LatencyLimit> ParseLatencyLimits(const std::string& text) {
  std::vector<LatencyLimit> limits;
  for (const std::string& element : SplitList(text)) {
    const LatencyLimit limit = ParseLatencyLimit(element);
    const bool is_there = std::any_of(limits.begin(), limits.end(), [&](const LatencyLimit& other) {
      return other.figure == limit.figure;
    });
    if (is_there) {
      throw Error(Blame::kUsage, "--limit-latency has two limits for " + limit.figure,
                  "give one for each figure, such as p99=10us,max=1ms");
    }
    limits.push_back(limit);
  }
  return limits;
}

// What is not measured cannot be limited.
void CheckPercentiles(const std::vector<LatencyLimit>& limits, const TestPlan& test) {
  if (FindTest(test.test).metric != Metric::kLatency) return;
  const std::vector<double>& asked = test.run.percentiles;
  for (const LatencyLimit& limit : limits) {
    if (!limit.percent || std::find(asked.begin(), asked.end(), *limit.percent) != asked.end()) {
      continue;
    }
    throw Error(Blame::kUsage,
                "--limit-latency " + limit.figure + " needs that percentile of " + test.test,
                "add it to --percentiles, in a suite to run.percentiles");
  }
}

report::Check AtLeast(std::string name, const std::string& unit, double least, double found) {
  return {.name = std::move(name),
          .ok = found >= least,
          .figures = {{"least_" + unit, least}, {"found_" + unit, found}},
          .text = found >= least ? "" : "below the limit"};
}

// A percentile that too few samples back cannot be said to hold.
report::Check AtMost(const LatencyLimit& limit, const report::Latency& latency) {
  const std::optional<double> found = Found(limit, latency);
  std::string name = std::string(kLimitPrefix) + "latency_" + limit.figure;
  std::replace(name.begin(), name.end(), '.', '_');
  report::Check check{.name = std::move(name),
                      .ok = found && *found <= limit.most_ns,
                      .figures = {{"most_ns", limit.most_ns}},
                      .text = {}};
  if (found) check.figures.emplace_back("found_ns", *found);
  if (!check.ok) check.text = found ? "above the limit" : "too few samples to tell";
  return check;
}

// " (least_bits_per_second 9e+10, found_bits_per_second 8.2e+10)"
std::string Figures(const report::Check& check) {
  std::string text;
  for (const auto& [name, value] : check.figures) {
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "%.6g", value);
    text += (text.empty() ? " (" : ", ") + name + " " + number.data();
  }
  return text.empty() ? text : text + ")";
}

// Whether a check fails the run by itself: the user has set it, or asked for it.
bool IsAskedFor(const report::Check& check) {
  return check.name.starts_with(kLimitPrefix) || check.name == kContentCheck;
}

// In words; those that matter of the checks that do not hold.
template <class Predicate>
std::vector<std::string> NotHolding(const report::Report& report, Predicate matters) {
  std::vector<std::string> texts;
  for (const report::Result& result : report.results) {
    for (const report::Check& check : result.checks) {
      if (check.ok || !matters(check)) continue;
      const std::string run = result.run ? " in run " + std::to_string(*result.run) : "";
      texts.push_back(result.test + " at " + std::to_string(result.message_bytes) + " B" + run +
                      ": " + check.name + (check.text.empty() ? "" : ": " + check.text) +
                      Figures(check));
    }
  }
  return texts;
}

}  // namespace

void AddLimitOptions(CLI::App& app, Limiting& limiting) {
  OptionGroup group(app, "Verdict (exit code 4)");
  group.Flag("--strict", limiting.strict, "fail when a check of a result does not hold");
  group.Add("-w,--limit-bw", "RATE", "fail below this bandwidth, such as 90Gbps",
            [&limiting](const std::string& text) {
              limiting.least_bits_per_second = ParseBitRate("--limit-bw", text);
            });
  group.Add("-y,--limit-rate,--limit-msgrate", "RATE",
            "fail below this message rate, such as 2.5Mpps", [&limiting](const std::string& text) {
              limiting.least_messages_per_second = ParseMessageRate("--limit-rate", text);
            });
  group.Add(
      "--limit-latency", "LIST", "fail above: p99=10us,max=1ms; figures: " + LatencyFigureNames(),
      [&limiting](const std::string& text) { limiting.most_latency = ParseLatencyLimits(text); });
}

void CheckLimits(const Limiting& limiting, const Plan& plan) {
  const auto need = [&plan](bool wanted, Metric metric, const char* option) {
    const bool there = std::any_of(
        plan.tests.begin(), plan.tests.end(),
        [metric](const TestPlan& test) { return FindTest(test.test).metric == metric; });
    if (!wanted || there) return;
    throw Error(Blame::kUsage, std::string(option) + " does not go with " + plan.tests[0].test,
                "bandwidth and rate are limits of bandwidth tests, latency is one of latency "
                "tests");
  };
  need(limiting.least_bits_per_second.has_value(), Metric::kBandwidth, "--limit-bw");
  need(limiting.least_messages_per_second.has_value(), Metric::kBandwidth, "--limit-rate");
  need(!limiting.most_latency.empty(), Metric::kLatency, "--limit-latency");
  for (const TestPlan& test : plan.tests) CheckPercentiles(limiting.most_latency, test);
}

void ApplyLimits(const Limiting& limiting, report::Report& report) {
  constexpr double kBits = 8.0;
  for (report::Result& result : report.results) {
    if (!result.complete) continue;
    if (result.bandwidth && limiting.least_bits_per_second) {
      result.checks.push_back(AtLeast("limit_bw", "bits_per_second",
                                      *limiting.least_bits_per_second,
                                      result.bandwidth->bytes_per_second * kBits));
    }
    if (result.bandwidth && limiting.least_messages_per_second) {
      result.checks.push_back(AtLeast("limit_rate", "messages_per_second",
                                      *limiting.least_messages_per_second,
                                      result.bandwidth->messages_per_second));
    }
    if (!result.latency) continue;
    for (const LatencyLimit& limit : limiting.most_latency) {
      result.checks.push_back(AtMost(limit, *result.latency));
    }
  }
}

std::vector<std::string> Violations(const report::Report& report) {
  return NotHolding(report, [](const report::Check&) { return true; });
}

std::vector<std::string> Failures(const Limiting& limiting, const report::Report& report) {
  return NotHolding(report, [&limiting](const report::Check& check) {
    return limiting.strict || IsAskedFor(check);
  });
}

Error VerdictOf(const std::vector<std::string>& failures, bool quiet) {
  const std::string what = "measured, but not every limit and check holds";
  if (!quiet) {
    return {Blame::kVerdict, what, "the warnings above and the report's checks say which"};
  }
  const std::size_t others = failures.size() - 1;
  return {Blame::kVerdict,
          what + ": " + failures.front() +
              (others == 0 ? "" : ", and " + std::to_string(others) + " more"),
          "the report's checks have all of them"};
}

}  // namespace rdmabench
