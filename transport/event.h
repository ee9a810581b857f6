// What a server writes down: one event a line, for people and for programs. Whoever has something
// to say makes an Event; cmd/log renders it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "transport/error.h"

namespace rdmabench {

// Each has a row in event.cc, in the same order, and a line in docs/server.md.
enum class EventKind {
  kListening,
  kManagerLost,
  kNoSecret,
  kSecretRead,
  kSecretKept,
  kServerFailed,
  kShuttingDown,
  kAcceptFailed,
  kTurnedAway,
  kDismissed,
  kStatusAsked,
  kWrongSecret,
  kEventsLeftOut,
  kQueued,
  kStartFailed,
  kSessionStarted,
  kDoctorAsked,
  kPlanAgreed,
  kTestStarted,
  kSizeMeasured,
  kDeviceWarning,
  kSessionGarbled,
  kSessionEnded,
};

struct EventRow {
  EventKind kind;
  std::string_view name;  // in JSON, snake_case: "session_started"
  bool of_session;        // what a session's process may tell
};

std::span<const EventRow> EventRows();
std::string_view NameOf(EventKind kind);

// A figure or a name of an event. Keys are snake_case, with the unit: "duration_seconds".
struct EventField {
  std::string key;
  std::variant<std::string, std::uint64_t, double> value;
};

struct Event {
  EventKind kind;
  std::string peer;  // "192.168.77.2:5123"; empty: the server itself
  std::string text;  // for people, goes on after the peer: "queued at place 1"
  std::vector<EventField> fields = {};
  std::optional<Error> error = {};  // why; `text` says it, too
};

// The field in which a session that was refused says so in its last event, and what it says there.
// Of other outcomes the server judges by how the process ended.
inline constexpr std::string_view kOutcomeKey = "outcome";
inline constexpr std::string_view kRefused = "refused";

using Log = std::function<void(const Event&)>;

// The event in one line, which no peer can end, break or color:
// "192.168.77.2:5123 queued at place 1".
std::string EventLine(const Event& event);

}  // namespace rdmabench
