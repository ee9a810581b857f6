// Where a server's events go: to stderr, one line each, with the time.
#pragma once

#include "transport/event.h"

namespace rdmabench {

// Each line is written whole, by one write(2), so that the lines of several processes do not mix.
// With `quiet` nothing is written.
Log MakeLog(bool quiet);

}  // namespace rdmabench
