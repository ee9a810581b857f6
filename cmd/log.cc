#include "cmd/log.h"

#include <unistd.h>

#include <string>

#include "cmd/utc_time.h"

namespace rdmabench {
namespace {

// Nobody can be told that the log is gone, and serving goes on without.
void WriteLine(const std::string& line) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

Log MakeLog(bool quiet) {
  if (quiet) return [](const Event&) {};
  return [](const Event& event) { WriteLine(UtcNow() + " " + EventLine(event) + "\n"); };
}

}  // namespace rdmabench
