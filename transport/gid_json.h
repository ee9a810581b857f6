// A GID as JSON between two processes of rdmabench: index, type and text.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "transport/gid.h"
#include "transport/json_reader.h"

namespace rdmabench {

nlohmann::json GidToJson(const Gid& gid);
// Throws Error(kRun) naming what is no part of a GID, or an index above kMostGidIndex.
Gid GidFromJson(JsonReader reader);

}  // namespace rdmabench
