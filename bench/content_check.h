// The check that every message is what was sent. One that is not fails a run, strict or not.
#pragma once

#include <optional>

#include "report/report.h"

namespace rdmabench {

inline constexpr char kContentCheck[] = "content_as_sent";

// What arrived against the pattern that was sent; absent where that was not looked at. Where no
// message may get lost all have to have been.
std::optional<report::Check> ContentAsSent(const report::Result& result, bool may_lose);

}  // namespace rdmabench
