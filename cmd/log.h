// Where a server's events go: to stderr, one line each, with the time.
#pragma once

#include <string>

#include "transport/event.h"

namespace rdmabench {

// For people, or one JSON object a line (docs/server.md).
enum class LogFormat { kText, kJson };

// The event's line, with its end. `time` is utc_time.h's.
std::string LogLine(const Event& event, LogFormat format, const std::string& time);

// Each line is written whole, by one write(2). With `quiet` nothing is written.
Log MakeLog(LogFormat format, bool quiet);

}  // namespace rdmabench
