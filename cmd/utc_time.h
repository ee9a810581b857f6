// The time as reports and logs write it.
#pragma once

#include <string>

namespace rdmabench {

// Now, as ISO 8601 in UTC: "2025-06-01T12:00:00Z".
std::string UtcNow();
// With milliseconds: "2025-06-01T12:00:00.123Z".
std::string UtcNowInMilliseconds();

}  // namespace rdmabench
