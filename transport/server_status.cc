#include "transport/server_status.h"

#include <array>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "transport/json_reader.h"
#include "transport/printable.h"

namespace rdmabench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr double kMostSeconds = 1e12;
constexpr std::size_t kMostEntries = 1024;  // as many as a server may be told to have
// So that as many sessions as there may be fit in a frame.
constexpr std::size_t kLongestText = 200;

struct TotalRow {
  const char* key;
  std::uint64_t ServerStatus::Totals::*value;
};
constexpr std::array kTotals = {
    TotalRow{"sessions_done", &ServerStatus::Totals::sessions_done},
    TotalRow{"sessions_refused", &ServerStatus::Totals::sessions_refused},
    TotalRow{"sessions_interrupted", &ServerStatus::Totals::sessions_interrupted},
    TotalRow{"sessions_failed", &ServerStatus::Totals::sessions_failed},
    TotalRow{"clients_dismissed", &ServerStatus::Totals::clients_dismissed},
    TotalRow{"wrong_secrets", &ServerStatus::Totals::wrong_secrets},
    TotalRow{"connections_turned_away", &ServerStatus::Totals::connections_turned_away},
};

struct LimitRow {
  const char* key;
  std::uint64_t ServerStatus::Limits::*value;
};
constexpr std::array kLimits = {
    LimitRow{"sessions", &ServerStatus::Limits::sessions},
    LimitRow{"queued", &ServerStatus::Limits::queued},
    LimitRow{"connections_per_address", &ServerStatus::Limits::connections_per_address},
    LimitRow{"queue_pairs", &ServerStatus::Limits::queue_pairs},
    LimitRow{"memory_bytes", &ServerStatus::Limits::memory_bytes},
};

Json SessionToJson(const ServerStatus::Session& session) {
  Json json = {{"session", session.session},
               {"pid", session.pid},
               {"peer", session.peer},
               {"request", session.request},
               {"duration_seconds", session.duration_seconds}};
  if (!session.plan.empty()) {
    json["plan"] = Printable(session.plan, kLongestText);
    json["tests"] = session.tests;
    json["tests_started"] = session.tests_started;
    json["sizes_measured"] = session.sizes_measured;
  }
  if (!session.latest.empty()) json["latest"] = Printable(session.latest, kLongestText);
  return json;
}

ServerStatus::Session SessionFrom(JsonReader& reader) {
  ServerStatus::Session session{
      .session = reader.Number("session", 1, kMost),
      .pid = reader.Number("pid", 1, kMost),
      .peer = reader.Text("peer"),
      .request = reader.Text("request"),
      .duration_seconds = reader.Real("duration_seconds", 0, kMostSeconds),
      .plan = "",
      .latest = ""};
  if (reader.Has("plan")) {
    session.plan = reader.Text("plan");
    session.tests = reader.Number("tests", 0, kMost);
    session.tests_started = reader.Number("tests_started", 0, kMost);
    session.sizes_measured = reader.Number("sizes_measured", 0, kMost);
  }
  if (reader.Has("latest")) session.latest = reader.Text("latest");
  reader.Done();
  return session;
}

ServerStatus::Queued QueuedFrom(JsonReader& reader) {
  ServerStatus::Queued queued{.place = reader.Number("place", 1, kMost),
                              .peer = reader.Text("peer"),
                              .request = reader.Text("request"),
                              .waiting_seconds = reader.Real("waiting_seconds", 0, kMostSeconds)};
  reader.Done();
  return queued;
}

}  // namespace

nlohmann::ordered_json ServerStatusToJson(const ServerStatus& status) {
  Json json = {{"tool_version", status.tool_version},
               {"pid", status.pid},
               {"uptime_seconds", status.uptime_seconds},
               {"sessions", Json::array()},
               {"queue", Json::array()},
               {"totals", Json::object()},
               {"limits", Json::object()}};
  for (const ServerStatus::Session& session : status.sessions) {
    json["sessions"].push_back(SessionToJson(session));
  }
  for (const ServerStatus::Queued& queued : status.queue) {
    json["queue"].push_back({{"place", queued.place},
                             {"peer", queued.peer},
                             {"request", queued.request},
                             {"waiting_seconds", queued.waiting_seconds}});
  }
  for (const TotalRow& row : kTotals) json["totals"][row.key] = status.totals.*row.value;
  for (const LimitRow& row : kLimits) json["limits"][row.key] = status.limits.*row.value;
  json["limits"]["test_seconds"] = status.limits.test_seconds;
  return json;
}

ServerStatus ServerStatusFromJson(const nlohmann::json& json) {
  JsonReader reader(json, "status");
  ServerStatus status;
  status.tool_version = reader.Text("tool_version");
  status.pid = reader.Number("pid", 1, kMost);
  status.uptime_seconds = reader.Real("uptime_seconds", 0, kMostSeconds);
  for (JsonReader& session : reader.Objects("sessions", kMostEntries)) {
    status.sessions.push_back(SessionFrom(session));
  }
  for (JsonReader& queued : reader.Objects("queue", kMostEntries)) {
    status.queue.push_back(QueuedFrom(queued));
  }
  JsonReader totals = reader.Object("totals");
  for (const TotalRow& row : kTotals) status.totals.*row.value = totals.Number(row.key, 0, kMost);
  totals.Done();
  JsonReader limits = reader.Object("limits");
  for (const LimitRow& row : kLimits) status.limits.*row.value = limits.Number(row.key, 0, kMost);
  status.limits.test_seconds = limits.Real("test_seconds", 0, kMostSeconds);
  limits.Done();
  reader.Done();
  return status;
}

}  // namespace rdmabench
