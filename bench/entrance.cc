#include "bench/entrance.h"

#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "report/version.h"
#include "transport/catalogue.h"
#include "transport/handshake.h"
#include "transport/hello.h"
#include "transport/json_reader.h"
#include "transport/peer_error.h"
#include "transport/socket.h"

namespace rdmabench {
namespace {

constexpr std::chrono::milliseconds kAnswerTimeout{30'000};

Error Busy(std::size_t place, const Call& call) {
  return SessionError("full", "the server is busy: still at place " + std::to_string(place) +
                                  " of its queue after " + InSeconds(call.wait));
}

// A queued client hears of its place every half second, so each frame has the same deadline.
std::pair<std::string, nlohmann::json> NextAnswer(Session& session, bool is_greeted) {
  const Deadline deadline = In(kAnswerTimeout);
  if (is_greeted) return session.ReceiveAny({"welcome", "queued"}, deadline, "its welcome");
  return session.ReceiveAny({"welcome", "queued", "challenge"}, deadline, "its welcome");
}

}  // namespace

std::unique_ptr<Session> OpenSession(const Call& call, const Interrupt& interrupt) {
  SessionOptions options;
  options.interrupt = &interrupt;
  return std::make_unique<Session>(Dial({.host = call.host,
                                         .port = call.port,
                                         .timeout = call.connect_timeout,
                                         .interrupt = &interrupt,
                                         .source_ip = call.source_ip}),
                                   options);
}

void GiveUp(Session* session, const std::exception& exception) {
  const Error error =
      AsError(exception).At("client", session != nullptr ? session->step() : "connecting");
  if (session != nullptr) session->Fail(error);
  throw Error(error);
}

void Greet(Session& session, std::string_view request, const Call& call,
           std::chrono::milliseconds patience) {
  session.Begin("saying hello");
  const Hello hello = MakeHello(kVersion, request);
  session.Send("hello", HelloToJson(hello));
  if (!call.secret) return;
  session.Begin("proving the secret");
  const auto [kind, body] = session.ReceiveAny({"challenge", "welcome", "queued", "status"},
                                               In(patience), "its challenge");
  if (kind != "challenge") {
    throw SessionError("secret",
                       "the server has no secret, and so cannot show that it is the one you mean");
  }
  const Handshake handshake{.request = hello.request,
                            .client_nonce = hello.nonce,
                            .server_nonce = ChallengeFromJson(body)};
  session.Send("proof", MakeProof(*call.secret, Prover::kClient, handshake));
  const nlohmann::json proof = session.Receive("proof", In(patience), "its proof");
  if (!IsProof(proof, *call.secret, Prover::kServer, handshake)) {
    throw Error(WrongSecret(Prover::kServer));
  }
  session.Begin("waiting for its answer");
}

Error SecretIsAskedFor() { return SessionError("secret", "the server asks for a secret"); }

void Enter(Session& session, std::string_view request, const Call& call, const Observer& observer) {
  Greet(session, request, call, kAnswerTimeout);
  const Deadline patience = In(call.wait);
  std::size_t told = 0;
  for (;;) {
    auto [kind, body] = NextAnswer(session, call.secret != nullptr);
    if (kind == "welcome") return;
    if (kind == "challenge") throw Error(SecretIsAskedFor());
    session.Begin("waiting for its turn");
    JsonReader reader(body, kind);
    const auto place = static_cast<std::size_t>(reader.Number("place", 1, 1'000'000));
    reader.Done();
    if (place != told && observer.queued) observer.queued(place);
    told = place;
    if (Now() > patience) throw Busy(place, call);
  }
}

}  // namespace rdmabench
