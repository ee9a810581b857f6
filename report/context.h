// What there is to know about a host without asking an RDMA device.
#pragma once

#include <filesystem>

#include "report/report.h"

namespace rdmabench::report {

// This host's name, kernel, CPU model and frequency governor; the rest of Host is left to those who
// know it. `root` is where /proc and /sys are looked for.
Host DescribeHost(const std::filesystem::path& root = "/");

}  // namespace rdmabench::report
