#include "cmd/log.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cmd/utc_time.h"
#include "transport/event_json.h"

namespace rdmabench {

std::string LogLine(const Event& event, LogFormat format, const std::string& time) {
  if (format == LogFormat::kText) return time + " " + EventLine(event) + "\n";
  nlohmann::ordered_json line = {{"time", time}};
  line.update(EventToJson(event));
  return line.dump() + "\n";
}

Log MakeLog(LogFormat format, bool quiet) {
  if (quiet) return [](const Event&) {};
  return [format](const Event& event) {
    const std::string time = format == LogFormat::kText ? UtcNow() : UtcNowInMilliseconds();
    const std::string line = LogLine(event, format, time);
    // Nobody can be told that the log is gone, and serving goes on without.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  };
}

}  // namespace rdmabench
