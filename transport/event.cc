#include "transport/event.h"

#include <array>
#include <cstddef>

#include "transport/printable.h"

namespace rdmabench {
namespace {

constexpr std::size_t kLongestLine = 4000;

constexpr std::array kRows = {
    EventRow{EventKind::kListening, "listening", false},
    EventRow{EventKind::kManagerLost, "manager_lost", false},
    EventRow{EventKind::kNoSecret, "no_secret", false},
    EventRow{EventKind::kSecretRead, "secret_read", false},
    EventRow{EventKind::kSecretKept, "secret_kept", false},
    EventRow{EventKind::kServerFailed, "server_failed", false},
    EventRow{EventKind::kShuttingDown, "shutting_down", false},
    EventRow{EventKind::kAcceptFailed, "accept_failed", false},
    EventRow{EventKind::kTurnedAway, "turned_away", false},
    EventRow{EventKind::kDismissed, "dismissed", false},
    EventRow{EventKind::kStatusAsked, "status_asked", false},
    EventRow{EventKind::kWrongSecret, "wrong_secret", false},
    EventRow{EventKind::kEventsLeftOut, "events_left_out", false},
    EventRow{EventKind::kQueued, "queued", false},
    EventRow{EventKind::kStartFailed, "start_failed", false},
    EventRow{EventKind::kSessionStarted, "session_started", false},
    EventRow{EventKind::kDoctorAsked, "doctor_asked", true},
    EventRow{EventKind::kPlanAgreed, "plan_agreed", true},
    EventRow{EventKind::kTestStarted, "test_started", true},
    EventRow{EventKind::kSizeMeasured, "size_measured", true},
    EventRow{EventKind::kDeviceWarning, "device_warning", true},
    EventRow{EventKind::kSessionGarbled, "session_garbled", false},
    EventRow{EventKind::kSessionEnded, "session_ended", true},
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
