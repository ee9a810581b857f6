// What a client may propose to a server, and, as one more key, what a server may answer.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/agreement.h"
#include "bench/plan.h"
#include "bench/proposal.h"
#include "transport/fuzz_entry.h"
#include "transport/gid.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::string_view kClientIp = "10.0.0.1";
constexpr std::string_view kServerIp = "10.0.0.2";

// Of a device such as the lab has, in the client's own network.
Offer ServersOffer(const Offer& client) {
  Offer offer{.device = "rxe0",
              .link_layer = client.link_layer,
              .active_mtu_bytes = 1024,
              .lid = 0,
              .needs_gid = true,
              .gids = client.gids,
              .max_queue_pairs = 4096,
              .max_depth = 4096,
              .max_read_depth = 16,
              .max_srq_depth = 1024,
              .atomics = true};
  for (const char* text : {"fe80::2", "::ffff:10.0.0.2", "fd00::2"}) {
    Gid& gid = offer.gids.emplace_back();
    gid.index = static_cast<int>(offer.gids.size());
    gid.raw = ParseGid(text);
    gid.type = GidType::kRoceV2;
  }
  return offer;
}

// What the server decides, the client believes, and derives the same from it.
void AgreeOn(const TestPlan& test, const Sides& sides) {
  const Limits limits;
  const Agreement agreement = Agree(test, sides, limits);
  const Agreement told = AgreementFromJson(AgreementToJson(agreement), test);
  Verify(told, test, sides.client);
  Expect(told.shapes == agreement.shapes && told.receive == agreement.receive,
         "both sides derive the same shapes");
  Expect(agreement.OwnBytes(1) <= limits.memory_bytes, "no queue pair is beyond the limit");
}

void Serve(const json& body) {
  const Proposal proposal = ProposalFromJson(body);
  const json written = ProposalToJson(proposal);
  Expect(ProposalToJson(ProposalFromJson(written)) == written,
         "a proposal is written as it was read");
  Sides sides{.client = proposal.offers,
              .server = {},
              .client_ip = std::string(kClientIp),
              .server_ip = std::string(kServerIp),
              .keep_samples = proposal.keep_samples};
  for (const Offer& offer : proposal.offers) sides.server.push_back(ServersOffer(offer));
  for (const TestPlan& test : proposal.plan.tests) {
    ExpectOnlyErrors([&] { AgreeOn(test, sides); });
  }
}

void HearAnswer(const json& body, const json& answer) {
  const Proposal proposal = ProposalFromJson(body);
  for (const TestPlan& test : proposal.plan.tests) {
    ExpectOnlyErrors([&] {
      const Agreement agreement = AgreementFromJson(answer, test);
      Verify(agreement, test, proposal.offers);
      Expect(agreement.OwnBytes(1) + agreement.ExposedBytes(test, 1) > 0, "a test has memory");
    });
  }
}

}  // namespace
}  // namespace rdmabench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmabench;
  return FuzzJson(data, size, [](json body) {
    json answer;
    if (body.is_object() && body.contains("agreement")) {
      answer = body["agreement"];
      body.erase("agreement");
    }
    Serve(body);
    HearAnswer(body, answer);
  });
}
