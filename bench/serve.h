// The server's side of one session.
#pragma once

#include <string>

#include "bench/agreement.h"
#include "bench/local.h"
#include "transport/event.h"
#include "transport/hello.h"
#include "transport/interrupt.h"
#include "transport/socket.h"

namespace rdmabench {

struct ServeOptions {
  Local local;
  Limits limits;
  std::string request{kRunRequest};  // of the client's hello
  Log log;
};

// Serves the client whose hello has been accepted, from the welcome to the goodbye. Throws Error
// (with host and step), after it has told the client: a refusal where the plan is not accepted.
// `interrupt` may be null.
void ServeSession(Connection connection, const ServeOptions& options, const Interrupt* interrupt);

}  // namespace rdmabench
