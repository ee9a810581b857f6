#include "cmd/log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rdmabench {
namespace {

const std::string kTime = "2026-01-02T03:04:05.678Z";

Event Dismissed() {
  return {.kind = EventKind::kDismissed,
          .peer = "10.0.0.1:5",
          .text = "dismissed: \"it\"\nleft",
          .fields = {{"place", std::uint64_t{3}}, {"waited_seconds", 0.5}}};
}

TEST(Log, HasALineForPeople) {
  EXPECT_EQ(LogLine(Dismissed(), LogFormat::kText, kTime),
            kTime + " 10.0.0.1:5 dismissed: \"it\" left\n");
}

TEST(Log, HasAnObjectForProgramsThatBeginsWithTimeAndName) {
  EXPECT_EQ(LogLine(Dismissed(), LogFormat::kJson, kTime),
            "{\"time\":\"" + kTime +
                "\",\"event\":\"dismissed\",\"peer\":\"10.0.0.1:5\",\"place\":3,"
                "\"waited_seconds\":0.5,\"text\":\"dismissed: \\\"it\\\" left\"}\n");
}

TEST(Log, WritesALineOnStderr) {
  testing::internal::CaptureStderr();
  MakeLog(LogFormat::kJson, false)(Dismissed());
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const nlohmann::json line = nlohmann::json::parse(text);
  EXPECT_EQ(line["event"], "dismissed");
  const std::string time = line["time"];
  EXPECT_EQ(time.size(), kTime.size());
  EXPECT_EQ(time.back(), 'Z');
}

TEST(Log, WritesNothingWhenItIsQuiet) {
  testing::internal::CaptureStderr();
  MakeLog(LogFormat::kText, true)(Dismissed());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace rdmabench
