#include "transport/running_session.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "transport/catalogue.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

std::string FieldText(const Event& event, std::string_view key) {
  for (const EventField& field : event.fields) {
    const auto* text = std::get_if<std::string>(&field.value);
    if (field.key == key && text != nullptr) return *text;
  }
  return {};
}

std::uint64_t FieldNumber(const Event& event, std::string_view key) {
  for (const EventField& field : event.fields) {
    const auto* number = std::get_if<std::uint64_t>(&field.value);
    if (field.key == key && number != nullptr) return *number;
  }
  return 0;
}

void Count(const Event& event, SessionAccount& account) {
  account.latest = event.text;
  if (event.kind == EventKind::kTestStarted) ++account.tests_started;
  if (event.kind == EventKind::kSizeMeasured) ++account.sizes_measured;
  if (event.kind == EventKind::kPlanAgreed) {
    account.plan = FieldText(event, "plan");
    account.tests = FieldNumber(event, "tests");
    account.tests_refused = FieldNumber(event, "tests_refused");
  }
}

using Totals = ServerStatus::Totals;

constexpr SessionOutcome kDone{"done", &Totals::sessions_done};
constexpr SessionOutcome kRefusal{kRefused, &Totals::sessions_refused};
constexpr SessionOutcome kFailed{"failed", &Totals::sessions_failed};
constexpr SessionOutcome kInterrupted{"interrupted", &Totals::sessions_interrupted};
constexpr SessionOutcome kKilled{"killed", &Totals::sessions_failed};

// A plan of which no test is granted is refused, also where the client then says goodbye.
SessionOutcome OutcomeOf(const Outcome& process, const std::optional<Event>& last_word,
                         const SessionAccount& account) {
  constexpr int kInterruptedExit = 130;
  if (process.signal != 0) return kKilled;
  if (process.status == kInterruptedExit) return kInterrupted;
  if (last_word && last_word->error && IsInterruption(*last_word->error)) return kInterrupted;
  if (last_word && FieldText(*last_word, kOutcomeKey) == kRefused) return kRefusal;
  if (process.status != 0) return kFailed;
  return !account.plan.empty() && account.tests == 0 ? kRefusal : kDone;
}

}  // namespace

RunningSession::RunningSession(Visit visit, SessionProcess process)
    : visit_(std::move(visit)),
      process_(process.pid),
      events_(std::move(process.events)),
      started_at_(Now()) {}

Event RunningSession::Complete(Event event) const {
  event.peer = visit_.peer;
  event.fields.insert(event.fields.begin(),
                      {{"session", visit_.session}, {"pid", static_cast<std::uint64_t>(pid())}});
  return event;
}

Event RunningSession::Started() const {
  return Complete({.kind = EventKind::kSessionStarted,
                   .peer = "",
                   .text = "is served by process " + std::to_string(pid()) + ", session " +
                           std::to_string(visit_.session),
                   .fields = {{"request", visit_.request}}});
}

ServerStatus::Session RunningSession::Describe() const {
  return {.session = visit_.session,
          .pid = static_cast<std::uint64_t>(pid()),
          .peer = visit_.peer,
          .request = visit_.request,
          .duration_seconds = std::chrono::duration<double>(Now() - started_at_).count(),
          .plan = account_.plan,
          .tests = account_.tests,
          .tests_started = account_.tests_started,
          .sizes_measured = account_.sizes_measured,
          .latest = account_.latest};
}

std::vector<Event> RunningSession::Hear() {
  std::vector<Event> told;
  try {
    for (Event& event : events_.Read()) {
      if (event.kind == EventKind::kSessionEnded) {
        last_word_ = std::move(event);
        continue;
      }
      Count(event, account_);
      told.push_back(Complete(std::move(event)));
    }
  } catch (const Error& error) {
    told.push_back(Complete({.kind = EventKind::kSessionGarbled,
                             .peer = "",
                             .text = std::string("is not listened to any more: ") + error.what(),
                             .error = error}));
  }
  return told;
}

std::optional<RunningSession::End> RunningSession::Reap() {
  const std::optional<Outcome> outcome = process_.Reap();
  if (!outcome) return std::nullopt;
  const std::chrono::duration<double> lasted = Now() - started_at_;
  std::string details = outcome->words + ", session " + std::to_string(visit_.session) +
                        ", process " + std::to_string(pid()) + ", " +
                        InSeconds(std::chrono::duration_cast<std::chrono::milliseconds>(lasted));
  if (!account_.plan.empty()) {
    details += ", of " + account_.plan + " " + std::to_string(account_.tests_started) + " of " +
               std::to_string(account_.tests) + " tests begun, " +
               std::to_string(account_.sizes_measured) + " sizes measured";
  }
  const SessionOutcome became = OutcomeOf(*outcome, last_word_, account_);
  const bool explained = last_word_ && !last_word_->text.empty();
  Event event{.kind = EventKind::kSessionEnded,
              .peer = "",
              .text = explained ? last_word_->text + "; " + details : "ended: " + details,
              .fields = {{"request", visit_.request},
                         {std::string(kOutcomeKey), std::string(became.name)},
                         {"duration_seconds", lasted.count()}}};
  if (!account_.plan.empty()) {
    event.fields.insert(event.fields.end(), {{"plan", account_.plan},
                                             {"tests", account_.tests},
                                             {"tests_refused", account_.tests_refused},
                                             {"tests_started", account_.tests_started},
                                             {"sizes_measured", account_.sizes_measured}});
  }
  if (outcome->signal != 0) {
    event.fields.push_back({"signal", static_cast<std::uint64_t>(outcome->signal)});
  } else {
    event.fields.push_back({"exit_code", static_cast<std::uint64_t>(outcome->status)});
  }
  if (last_word_) event.error = last_word_->error;
  return End{.status = outcome->status, .outcome = became, .event = Complete(std::move(event))};
}

}  // namespace rdmabench
