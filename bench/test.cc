#include "bench/test.h"

#include <vector>

#include "transport/error.h"
#include "transport/joined.h"
#include "transport/nearest.h"

namespace rdmabench {
namespace {

struct MetricRow {
  Metric metric;
  std::string_view name;
  std::string_view words;
};

constexpr MetricRow kMetrics[] = {
    {Metric::kBandwidth, "bw", "bandwidth and message rate"},
    {Metric::kLatency, "lat", "latency"},
};

std::vector<Test> MakeTests() {
  std::vector<Test> tests;
  for (const Op& op : Ops()) {
    for (const MetricRow& row : kMetrics) {
      tests.push_back({std::string(op.name) + "_" + std::string(row.name),
                       std::string(row.words) + " of " + std::string(op.words), row.metric, &op});
    }
  }
  return tests;
}

}  // namespace

std::string_view MetricName(Metric metric) {
  for (const MetricRow& row : kMetrics) {
    if (row.metric == metric) return row.name;
  }
  return "unknown";
}

std::span<const Test> Tests() {
  static const std::vector<Test> tests = MakeTests();
  return tests;
}

const Test& FindTest(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Test& test : Tests()) {
    if (test.name == name) return test;
    known.push_back(test.name);
  }
  throw Error(Blame::kUsage, "unknown test '" + std::string(name) + "'" + DidYouMean(name, known),
              "known tests: " + Joined(known) +
                  "; perftest's ib_write_bw is write_bw, ib_atomic_bw is fetch_add_bw or "
                  "cmp_swap_bw");
}

}  // namespace rdmabench
