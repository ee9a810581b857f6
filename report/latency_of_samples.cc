// Reads samples from stdin, 64-bit little-endian nanoseconds, and writes what LatencyOf() makes of
// them, as a report, for latency_truth_test.py.
//
//   latency_of_samples PARTS PERCENT…
//
// The samples are dealt to so many histograms, which are then added up.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "report/histogram.h"
#include "report/json.h"
#include "report/latency.h"
#include "report/report.h"

int main(int argc, char** argv) {
  using namespace rdmabench::report;
  if (argc < 3) return 2;
  std::vector<Histogram> parts(std::strtoul(argv[1], nullptr, 10));
  std::vector<double> percents;
  for (int i = 2; i < argc; ++i) percents.push_back(std::atof(argv[i]));
  std::vector<std::uint64_t> block(std::size_t{1} << 16);
  std::size_t sample = 0;
  while (const std::size_t read = std::fread(block.data(), sizeof block[0], block.size(), stdin)) {
    for (std::size_t i = 0; i < read; ++i) parts[sample++ % parts.size()].Record(block[i]);
  }
  Histogram all;
  for (const Histogram& part : parts) all.Add(part);
  Report report;
  report.results.emplace_back().latency = LatencyOf(all, 1.0, LatencyBasis::kRoundTrip, percents);
  std::fputs(RenderJson(report).c_str(), stdout);
}
