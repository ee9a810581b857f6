// What a server says of itself to `rdmabench status`: a frame, and (but for the host's name) the
// document that the command prints.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace rdmabench {

struct ServerStatus {
  struct Session {
    std::uint64_t session = 0;  // counted from 1 since the server's start
    std::uint64_t pid = 0;
    std::string peer;  // "192.168.77.2:5123"
    std::string request;
    double duration_seconds = 0.0;
    std::string plan;  // "write_bw rc, send_lat ud"; empty: not agreed yet, or the doctor's
    std::uint64_t tests = 0;
    std::uint64_t tests_started = 0;
    std::uint64_t sizes_measured = 0;
    std::string latest;  // what the session has told last; may be empty
  };
  struct Queued {
    std::uint64_t place = 0;
    std::string peer;
    std::string request;
    double waiting_seconds = 0.0;
  };
  // Since the server's start.
  struct Totals {
    std::uint64_t sessions_done = 0;
    std::uint64_t sessions_refused = 0;      // the plan was not accepted
    std::uint64_t sessions_interrupted = 0;  // by the user of either side
    std::uint64_t sessions_failed = 0;       // also killed, or not started
    std::uint64_t clients_dismissed = 0;
    std::uint64_t wrong_secrets = 0;
    std::uint64_t connections_turned_away = 0;
  };
  struct Limits {
    std::uint64_t sessions = 0;
    std::uint64_t queued = 0;
    std::uint64_t connections_per_address = 0;
    std::uint64_t queue_pairs = 0;  // of a client
    std::uint64_t memory_bytes = 0;
    double test_seconds = 0.0;
  };

  std::string tool_version;
  std::uint64_t pid = 0;
  double uptime_seconds = 0.0;
  std::vector<Session> sessions;
  std::vector<Queued> queue;  // the next one first
  Totals totals;
  Limits limits;
};

nlohmann::ordered_json ServerStatusToJson(const ServerStatus& status);
// Throws Error(kRun) when it is ill-formed.
ServerStatus ServerStatusFromJson(const nlohmann::json& json);

}  // namespace rdmabench
