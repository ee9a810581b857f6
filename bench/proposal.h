// What a client asks of a server, in one frame: its plan, and what it brings itself.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "bench/agreement.h"
#include "bench/plan.h"

namespace rdmabench {

struct Proposal {
  Plan plan;
  std::vector<Offer> offers;       // of each of the client's devices
  std::uint64_t keep_samples = 0;  // of a size, one by one, at most
};

nlohmann::json ProposalToJson(const Proposal& proposal);
// Reads and validates; throws Error(kRun), or of the plan's own rules Error(kUsage).
Proposal ProposalFromJson(nlohmann::json body);

}  // namespace rdmabench
