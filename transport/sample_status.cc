#include "transport/sample_status.h"

namespace rdmabench {

ServerStatus SampleStatus() {
  ServerStatus status;
  status.tool_version = "0.1.0";
  status.pid = 812;
  status.uptime_seconds = 273'845.5;
  status.sessions = {{.session = 41,
                      .pid = 9120,
                      .peer = "192.168.77.2:51234",
                      .request = "run",
                      .duration_seconds = 75.25,
                      .plan = "write_bw rc ×2, send_lat ud",
                      .tests = 3,
                      .tests_started = 2,
                      .sizes_measured = 9,
                      .latest = "write_bw rc 65536 B: 240000 messages, 62.914 Gb/s"},
                     {.session = 42,
                      .pid = 9133,
                      .peer = "[fd77::3]:40022",
                      .request = "doctor",
                      .duration_seconds = 0.25,
                      .plan = "",
                      .latest = ""}};
  status.queue = {
      {.place = 1, .peer = "192.168.77.4:51999", .request = "run", .waiting_seconds = 3.5}};
  status.totals = {.sessions_done = 38,
                   .sessions_refused = 3,
                   .sessions_interrupted = 4,
                   .sessions_failed = 2,
                   .clients_dismissed = 5,
                   .wrong_secrets = 1,
                   .connections_turned_away = 7};
  status.limits = {.sessions = 2,
                   .queued = 64,
                   .connections_per_address = 32,
                   .queue_pairs = 16384,
                   .memory_bytes = 4'294'967'296,
                   .test_seconds = 86400};
  return status;
}

}  // namespace rdmabench
