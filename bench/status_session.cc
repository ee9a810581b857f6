#include "bench/status_session.h"

#include <chrono>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/entrance.h"
#include "transport/error.h"
#include "transport/hello.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

constexpr std::chrono::seconds kAnswerTimeout{5};

}  // namespace

ServerStatus AskStatus(const Call& call, const Interrupt& interrupt) {
  std::unique_ptr<Session> session;
  try {
    session = OpenSession(call, interrupt);
    Greet(*session, kStatusRequest, call, kAnswerTimeout);
    session->Begin("waiting for the server's status");
    const auto [kind, body] =
        session->ReceiveAny({"status", "challenge"}, In(kAnswerTimeout), "its status");
    if (kind == "challenge") throw Error(SecretIsAskedFor());
    return ServerStatusFromJson(body);
  } catch (const std::exception& exception) {
    GiveUp(session.get(), exception);
  }
}

}  // namespace rdmabench
