// What the two sides say beside the plan and its results: to be let in, of the server's state, to
// be heard, and why they give up; and what a session's process tells the server's parent.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "transport/activity.h"
#include "transport/event_json.h"
#include "transport/fuzz_entry.h"
#include "transport/handshake.h"
#include "transport/hello.h"
#include "transport/peer_error.h"
#include "transport/secret.h"
#include "transport/server_status.h"

namespace rdmabench {
namespace {

using nlohmann::json;

void ReadHello(const json& body) {
  Expect(HelloToJson(CheckHello(body, "0.1.0")) == body, "a hello is written as it was read");
}

void ReadChallenge(const json& body) {
  Expect(ChallengeToJson(ChallengeFromJson(body)) == body, "a challenge is written as it was read");
}

// The corpus has the one proof that is right.
void ReadProof(const json& body) {
  static const Secret secret = Secret::FromText("0123456789abcdef", "the target's own");
  static const Handshake handshake{
      .request = "run", .client_nonce = std::string(32, '1'), .server_nonce = std::string(32, '2')};
  static const json right = MakeProof(secret, Prover::kClient, handshake);
  Expect(IsProof(body, secret, Prover::kClient, handshake) == (body == right),
         "the right proof is taken, and no other");
}

void ReadError(const json& body) {
  const json passed_on = ErrorToJson(ErrorFromPeer(body));
  Expect(ErrorToJson(ErrorFromPeer(passed_on))["blame"] == passed_on["blame"],
         "an error that is passed on keeps its blame");
  throw ErrorFromPeer(body);
}

void ReadStatus(const json& body) {
  const json written = ServerStatusToJson(ServerStatusFromJson(body));
  Expect(json(ServerStatusToJson(ServerStatusFromJson(written))) == written,
         "a status is written as it was read");
}

void ReadHeartbeat(const json& body) {
  const json written = ActivityToJson(ActivityFromJson(body));
  Expect(ActivityToJson(ActivityFromJson(written)) == written,
         "a heartbeat is written as it was read");
}

void ReadEvent(const json& body) {
  const json written = EventToJson(SessionEventFromJson(body));
  Expect(json(EventToJson(SessionEventFromJson(written))) == written,
         "an event is written as it was read");
}

}  // namespace
}  // namespace rdmabench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmabench;
  return FuzzJson(data, size, [](const json& body) {
    for (const auto& read :
         {ReadHello, ReadChallenge, ReadProof, ReadError, ReadStatus, ReadHeartbeat, ReadEvent}) {
      ExpectOnlyErrors([&] { read(body); });
    }
  });
}
