// What can be run by name: one row a test. Rows for "<op>_bw" and "<op>_lat" follow from the table
// of ops.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/op.h"

namespace rdmabench {

enum class Metric { kBandwidth, kLatency };
std::string_view MetricName(Metric metric);  // "bw", "lat"

struct Test {
  std::string name;     // "write_bw"
  std::string summary;  // for --help
  Metric metric;
  const Op* op;
};

std::span<const Test> Tests();
// Throws Error(kUsage) naming the nearest and the known tests.
const Test& FindTest(std::string_view name);

}  // namespace rdmabench
