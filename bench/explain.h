// Why a side's threads and memory are where they are, at length, for --explain.
#pragma once

#include <string>

#include "bench/site.h"
#include "report/host.h"

namespace rdmabench {

// The client's machine as a tree with its reasons, and those that the server has told.
std::string Explain(const Site& site, const report::Host& server);

}  // namespace rdmabench
