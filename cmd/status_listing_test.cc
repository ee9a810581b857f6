#include "cmd/status_listing.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/golden_file.h"
#include "transport/sample_status.h"

namespace rdmabench {
namespace {

TEST(StatusListing, IsForPeople) {
  ExpectGolden(StatusText(SampleStatus(), "node7:18515"), "cmd/testdata/status.txt");
}

TEST(StatusListing, IsForPrograms) {
  // The commit of the build is not the same tomorrow.
  auto document = nlohmann::ordered_json::parse(StatusJson(SampleStatus(), "node7:18515"));
  document["tool"]["commit"] = "unknown";
  ExpectGolden(document.dump(2) + "\n", "cmd/testdata/status.json");
}

TEST(StatusListing, OfAnIdleServerSaysSo) {
  ServerStatus status = SampleStatus();
  status.sessions.clear();
  status.queue.clear();
  const std::string text = StatusText(status, "node7:18515");
  EXPECT_NE(text.find("sessions: none\n"), std::string::npos) << text;
  EXPECT_NE(text.find("queue: empty\n"), std::string::npos) << text;
}

TEST(StatusListing, TakesWhatAServerSaysTheirPower) {
  ServerStatus status = SampleStatus();
  status.sessions[0].latest = "\x1b[2J";
  EXPECT_EQ(StatusText(status, "node7:18515").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace rdmabench
