// An event as a JSON object: a line of the log for programs, and what a session's process tells
// the server's parent.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "transport/event.h"

namespace rdmabench {

// {"event", "peer", the fields, "error": {"host", "step", "message", "remedy"}, "text"}; what is
// empty is left out. Texts are made printable, and cut.
nlohmann::ordered_json EventToJson(const Event& event);

// What EventToJson() has made, in another process that may have been taken over by its peer. Only
// kinds of a session's (EventRow::of_session) are taken, and no peer, session, pid or time: whoever
// reads it knows whose process it is. Throws Error(kRun).
Event SessionEventFromJson(const nlohmann::json& json);

}  // namespace rdmabench
