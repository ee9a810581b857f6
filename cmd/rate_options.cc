#include "cmd/rate_options.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "bench/arrivals.h"
#include "cmd/option_group.h"
#include "cmd/quantity.h"
#include "transport/error.h"
#include "transport/joined.h"

namespace rdmabench {
namespace {

[[noreturn]] void Refuse(std::string_view option, std::string_view text, const std::string& form,
                         const std::string& example) {
  throw Error(Blame::kUsage, std::string(option) + " '" + std::string(text) + "' is not " + form,
              "write it as in " + example);
}

constexpr const char* kRangeExample = "1Kpps:10Kpps:1Kpps, from low to high by steps";

std::uint64_t WholeRate(std::string_view option, std::string_view text) {
  return static_cast<std::uint64_t>(std::llround(ParseMessageRate(option, text)));
}

void AddRange(std::string_view option, std::string_view text, std::vector<std::uint64_t>& rates) {
  const std::size_t first = text.find(':');
  const std::size_t second = std::min(text.find(':', first + 1), text.size());
  if (second == text.size())
    Refuse(option, text, "a range of rates: 1Kpps:10Kpps:1Kpps", kRangeExample);
  const std::uint64_t low = WholeRate(option, text.substr(0, first));
  const std::uint64_t high = WholeRate(option, text.substr(first + 1, second - first - 1));
  const std::uint64_t step = WholeRate(option, text.substr(second + 1));
  if (high < low) Refuse(option, text, "a range that rises", kRangeExample);
  for (std::uint64_t rate = low; rate <= high && rates.size() <= kMostRates; rate += step) {
    rates.push_back(rate);
  }
}

}  // namespace

std::vector<std::uint64_t> ParseRateSweep(std::string_view option, std::string_view text) {
  std::vector<std::uint64_t> rates;
  for (const std::string& element : SplitList(text)) {
    if (element.find(':') == std::string::npos) {
      rates.push_back(WholeRate(option, element));
    } else {
      AddRange(option, element, rates);
    }
  }
  if (rates.size() > kMostRates) {
    throw Error(Blame::kUsage,
                std::string(option) + " lists more than " + std::to_string(kMostRates) + " rates",
                "take larger steps");
  }
  return rates;
}

Objective ParseObjective(std::string_view option, std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  if (equals == text.size() || !text.starts_with('p')) {
    Refuse(option, text, "a percentile and its limit, such as p99=50us", "p99=50us or p99.9=1ms");
  }
  return {.percentile = ParsePercent(std::string(option) + " p", text.substr(1, equals - 1)),
          .most_ns = static_cast<std::uint64_t>(
              std::llround(std::max(1.0, ParseNanoseconds(option, text.substr(equals + 1)))))};
}

void AddRateOptions(CLI::App& app, RunOptions& run) {
  OptionGroup group(app, "Rate");
  group.Add(
      "--rate", "RATE",
      "send at 10Gbps, 250Mbps, 1Mpps, 5000pps; each side that sends; lat: an open loop, with "
      "latency from the planned time",
      [&run](const std::string& text) { run.rate = ParseRate("--rate", text); });
  group.Text("--arrival", run.arrival, Joined(kArrivals, {}, "|"),
             "at even distances, or at random with exponential gaps; default const");
  group.Number("--arrival-seed", run.arrival_seed, kSeed, "of random arrivals; default 1");
  group.Number("--burst", run.burst, kBurst, "messages that --rate sends at once; default: a post");
  group.Add(
      "--rate-sweep", "RATES",
      "lat: a result for each rate: 1Kpps,2Kpps or, from low to high by steps, "
      "1Kpps:10Kpps:1Kpps",
      [&run](const std::string& text) { run.rate_sweep = ParseRateSweep("--rate-sweep", text); });
  group.Add("--slo", "pN=TIME",
            "lat: find the highest rate at which the response time holds, such as p99=50us; within "
            "--rate-sweep where that is given",
            [&run](const std::string& text) {
              const Objective objective = ParseObjective("--slo", text);
              run.slo_percentile = objective.percentile;
              run.slo_ns = objective.most_ns;
            });
}

}  // namespace rdmabench
