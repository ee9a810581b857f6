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
    SessionOptions options;
    options.interrupt = &interrupt;
    session = std::make_unique<Session>(Dial({.host = call.host,
                                              .port = call.port,
                                              .timeout = call.connect_timeout,
                                              .interrupt = &interrupt,
                                              .source_ip = call.source_ip}),
                                        options);
    Greet(*session, kStatusRequest, call, kAnswerTimeout);
    session->Begin("waiting for the server's status");
    const auto [kind, body] =
        session->ReceiveAny({"status", "challenge"}, In(kAnswerTimeout), "its status");
    if (kind == "challenge") throw Error(SecretIsAskedFor());
    return ServerStatusFromJson(body);
  } catch (const std::exception& exception) {
    const Error error = AsError(exception).At("client", session ? session->step() : "connecting");
    if (session) session->Fail(error);
    throw Error(error);
  }
}

}  // namespace rdmabench
