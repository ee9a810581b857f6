#include "transport/event.h"

#include <array>
#include <cstddef>

#include "transport/printable.h"

namespace rdmabench {
namespace {

constexpr std::size_t kLongestLine = 4000;

constexpr std::array kRows = {
    EventRow{EventKind::kListening, "listening"},
    EventRow{EventKind::kNoSecret, "no_secret"},
    EventRow{EventKind::kSecretRead, "secret_read"},
    EventRow{EventKind::kSecretKept, "secret_kept"},
    EventRow{EventKind::kShuttingDown, "shutting_down"},
    EventRow{EventKind::kAcceptFailed, "accept_failed"},
    EventRow{EventKind::kTurnedAway, "turned_away"},
    EventRow{EventKind::kDismissed, "dismissed"},
    EventRow{EventKind::kWrongSecret, "wrong_secret"},
    EventRow{EventKind::kEventsLeftOut, "events_left_out"},
    EventRow{EventKind::kQueued, "queued"},
    EventRow{EventKind::kStartFailed, "start_failed"},
    EventRow{EventKind::kSessionStarted, "session_started"},
    EventRow{EventKind::kDoctorAsked, "doctor_asked"},
    EventRow{EventKind::kTestStarted, "test_started"},
    EventRow{EventKind::kSizeMeasured, "size_measured"},
    EventRow{EventKind::kSessionFailed, "session_failed"},
    EventRow{EventKind::kSessionEnded, "session_ended"},
};

constexpr bool RowsAreInOrder() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].kind) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder());

}  // namespace

std::span<const EventRow> EventRows() { return kRows; }

std::string_view NameOf(EventKind kind) { return kRows.at(static_cast<std::size_t>(kind)).name; }

std::string EventLine(const Event& event) {
  const std::string line = event.peer + (event.peer.empty() ? "" : " ") + event.text;
  return Printable(line, kLongestLine);
}

}  // namespace rdmabench
