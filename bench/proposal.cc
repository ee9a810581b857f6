#include "bench/proposal.h"

#include <nlohmann/json.hpp>

#include "bench/sample_log.h"
#include "transport/json_reader.h"

namespace rdmabench {

nlohmann::json ProposalToJson(const Proposal& proposal) {
  nlohmann::json body = PlanToJson(proposal.plan);
  body["offer"] = OffersToJson(proposal.offers);
  body["keep_samples"] = proposal.keep_samples;
  return body;
}

Proposal ProposalFromJson(nlohmann::json body) {
  Proposal proposal;
  JsonReader reader(body, "plan");
  proposal.offers = OffersFromJson(reader.Raw("offer"));
  proposal.keep_samples = reader.Number("keep_samples", 0, kMostKeptSamples);
  body.erase("offer");
  body.erase("keep_samples");
  proposal.plan = PlanFromJson(body);
  return proposal;
}

}  // namespace rdmabench
