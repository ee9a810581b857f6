// How a client gets its turn: the connection, hello, the secret where there is one, then the
// server's queue.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <string_view>

#include "bench/local.h"
#include "transport/error.h"
#include "transport/interrupt.h"
#include "transport/session.h"

namespace rdmabench {

// Connects. Throws Error(kRun) or Error(kInterrupted), without a place.
std::unique_ptr<Session> OpenSession(const Call& call, const Interrupt& interrupt);
// Of a client that runs no test: tells the server, where there is a session, why it ends, and
// throws that with side and step.
[[noreturn]] void GiveUp(Session* session, const std::exception& exception);

// Says hello for one of hello.h's requests. With `call.secret` proves that this side has it, and
// sees the server prove the same: a server that does not ask for it is refused. Throws Error(kRun).
// The server's answers to it have to come within `patience` each.
void Greet(Session& session, std::string_view request, const Call& call,
           std::chrono::milliseconds patience);

// Of a server that answers a greeting without a secret by "challenge".
Error SecretIsAskedFor();

// Greets, and returns once the server has welcomed the client. Throws Error(kRun), also when the
// turn does not come in `call.wait`.
void Enter(Session& session, std::string_view request, const Call& call, const Observer& observer);

}  // namespace rdmabench
