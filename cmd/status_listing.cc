#include "cmd/status_listing.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "report/printable.h"
#include "report/text_quantity.h"
#include "report/text_table.h"
#include "report/version.h"

namespace rdmabench {
namespace {

using report::Align;
using report::TextTable;
using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 2;

// "4.2 s", "12 min 5 s", "3 h 2 min", "12 d 3 h".
std::string Lasting(double seconds) {
  struct Unit {
    double seconds;
    const char* name;
    double below_seconds;
    const char* below_name;
  };
  constexpr std::array kUnits = {
      Unit{86'400, "d", 3600, "h"},
      Unit{3600, "h", 60, "min"},
      Unit{60, "min", 1, "s"},
  };
  std::array<char, 64> text = {};
  for (const Unit& unit : kUnits) {
    if (seconds < unit.seconds) continue;
    const double whole = std::floor(seconds / unit.seconds);
    const double rest = std::floor((seconds - whole * unit.seconds) / unit.below_seconds);
    std::snprintf(text.data(), text.size(), "%.0f %s %.0f %s", whole, unit.name, rest,
                  unit.below_name);
    return text.data();
  }
  std::snprintf(text.data(), text.size(), "%.1f s", seconds);
  return text.data();
}

std::string Number(std::uint64_t number) { return std::to_string(number); }

std::string Sessions(const ServerStatus& status) {
  if (status.sessions.empty()) return "sessions: none\n";
  TextTable table({{"session"},
                   {"process"},
                   {"peer", Align::kLeft},
                   {"for"},
                   {"tests begun"},
                   {"plan", Align::kLeft},
                   {"latest", Align::kLeft}});
  for (const ServerStatus::Session& session : status.sessions) {
    const bool has_plan = !session.plan.empty();
    table.AddRow({Number(session.session), Number(session.pid), report::Printable(session.peer),
                  Lasting(session.duration_seconds),
                  has_plan ? Number(session.tests_started) + " of " + Number(session.tests) : "-",
                  report::Printable(has_plan ? session.plan : session.request),
                  session.latest.empty() ? "-" : report::Printable(session.latest)});
  }
  return table.Render(0);
}

std::string Queue(const ServerStatus& status) {
  if (status.queue.empty()) return "queue: empty\n";
  TextTable table({{"place"}, {"peer", Align::kLeft}, {"waits for"}, {"request", Align::kLeft}});
  for (const ServerStatus::Queued& queued : status.queue) {
    table.AddRow({Number(queued.place), report::Printable(queued.peer),
                  Lasting(queued.waiting_seconds), report::Printable(queued.request)});
  }
  return table.Render(0);
}

}  // namespace

std::string StatusText(const ServerStatus& status, const std::string& server) {
  const ServerStatus::Totals& totals = status.totals;
  const ServerStatus::Limits& limits = status.limits;
  return "rdmabench " + report::Printable(status.tool_version) + " server on " +
         report::Printable(server) + ", process " + Number(status.pid) + ", up for " +
         Lasting(status.uptime_seconds) + "\n\n" + Sessions(status) + "\n" + Queue(status) +
         "\nsince its start: " + Number(totals.sessions_done) + " sessions done, " +
         Number(totals.sessions_refused) + " refused, " + Number(totals.sessions_interrupted) +
         " interrupted, " + Number(totals.sessions_failed) + " failed; " +
         Number(totals.clients_dismissed) + " clients dismissed, " + Number(totals.wrong_secrets) +
         " with a wrong secret; " + Number(totals.connections_turned_away) +
         " connections turned away\nlimits: " + Number(limits.sessions) + " sessions at once, " +
         Number(limits.queued) + " queued, " + Number(limits.connections_per_address) +
         " connections of an address; a client's " + Number(limits.queue_pairs) + " queue pairs, " +
         report::Size(limits.memory_bytes) + ", " + Lasting(limits.test_seconds) + " a test\n";
}

std::string StatusJson(const ServerStatus& status, const std::string& server) {
  Json document = {
      {"schema_version", kSchemaVersion},
      {"tool", {{"name", "rdmabench"}, {"version", kVersion}, {"commit", BuildCommit()}}},
      {"server", server}};
  document.update(ServerStatusToJson(status));
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rdmabench
