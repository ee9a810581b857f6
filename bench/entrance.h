// How a client gets its turn: hello, then the server's queue.
#pragma once

#include <string_view>

#include "bench/local.h"
#include "transport/session.h"

namespace rdmabench {

// Returns once the server has welcomed the client, whose request is one of hello.h's. Throws
// Error(kRun), also when the turn does not come in `call.wait`.
void Enter(Session& session, std::string_view request, const Call& call, const Observer& observer);

}  // namespace rdmabench
