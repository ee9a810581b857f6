// How a client asks a server what it is doing.
#pragma once

#include "bench/local.h"
#include "transport/interrupt.h"
#include "transport/server_status.h"

namespace rdmabench {

// Does not queue: a busy server answers, too. Throws Error(kRun), also when there is no answer in
// time (with host and step), and Error(kInterrupted).
ServerStatus AskStatus(const Call& call, const Interrupt& interrupt);

}  // namespace rdmabench
