#include "cmd/status_listing.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace rdmabench {
namespace {

// Set to the source directory, the tests rewrite the golden files instead of reading them.
constexpr const char* kUpdateVariable = "RDMABENCH_UPDATE_GOLDEN";

void ExpectGolden(const std::string& rendered, const std::string& path) {
  if (const char* tree = std::getenv(kUpdateVariable)) {
    std::ofstream(std::string(tree) + "/" + path) << rendered;
    return;
  }
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(rendered, golden.str()) << "if that is what you want: " << kUpdateVariable
                                    << "=$PWD bazel-bin/cmd/status_listing_test";
}

ServerStatus Busy() {
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

TEST(StatusListing, IsForPeople) {
  ExpectGolden(StatusText(Busy(), "node7:18515"), "cmd/testdata/status.txt");
}

TEST(StatusListing, IsForPrograms) {
  // The commit of the build is not the same tomorrow.
  auto document = nlohmann::ordered_json::parse(StatusJson(Busy(), "node7:18515"));
  document["tool"]["commit"] = "unknown";
  ExpectGolden(document.dump(2) + "\n", "cmd/testdata/status.json");
}

TEST(StatusListing, OfAnIdleServerSaysSo) {
  ServerStatus status = Busy();
  status.sessions.clear();
  status.queue.clear();
  const std::string text = StatusText(status, "node7:18515");
  EXPECT_NE(text.find("sessions: none\n"), std::string::npos) << text;
  EXPECT_NE(text.find("queue: empty\n"), std::string::npos) << text;
}

TEST(StatusListing, TakesWhatAServerSaysTheirPower) {
  ServerStatus status = Busy();
  status.sessions[0].latest = "\x1b[2J";
  EXPECT_EQ(StatusText(status, "node7:18515").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace rdmabench
