#include "cmd/status_command.h"

#include <iostream>

#include "bench/status_session.h"
#include "cmd/status_listing.h"
#include "transport/error.h"
#include "transport/interrupt.h"
#include "transport/socket.h"

namespace rdmabench {

void RunStatusCommand(const Options& options) {
  const Interrupt interrupt;
  const ServerStatus status = AskStatus(options.call, interrupt);
  // From here on Ctrl-C ends the program at once, also while stdout is blocked.
  interrupt.LetTheNextEnd();
  const std::string server = SocketAddress{options.call.host, options.call.port}.ToString();
  std::cout << (options.json ? StatusJson(status, server) : StatusText(status, server))
            << std::flush;
  if (!std::cout) throw Error(Blame::kEnvironment, "cannot write to stdout");
}

}  // namespace rdmabench
