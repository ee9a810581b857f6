#include "transport/activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "transport/error.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Json = nlohmann::json;

TEST(Activity, CrossesTheWire) {
  const Json body = ActivityToJson({.step = "running", .messages = 12345});
  EXPECT_EQ(body, Json({{"step", "running"}, {"messages", 12345}}));
  const Activity read = ActivityFromJson(body);
  EXPECT_EQ(read.step, "running");
  EXPECT_EQ(read.messages, 12345U);
}

TEST(Activity, MayBeUntold) {
  EXPECT_EQ(ActivityToJson({}), Json::object());
  const Activity read = ActivityFromJson(Json::object());
  EXPECT_EQ(read.step, "");
  EXPECT_FALSE(read.messages);
}

TEST(Activity, IsReadAsStrictlyAsAllElse) {
  for (const Json& body :
       {Json(1), Json({{"step", 1}}), Json({{"step", "running\n2026"}}), Json({{"messages", -1}}),
        Json({{"step", std::string(101, 'x')}}), Json({{"steps", "running"}})}) {
    EXPECT_THAT([&] { ActivityFromJson(body); }, ThrowsMessage<Error>(HasSubstr("heartbeat")))
        << body;
  }
}

TEST(LastHeard, SaysWhenAndWhatItDid) {
  EXPECT_EQ(LastHeard(milliseconds(1604), {.step = "running", .messages = 12345}),
            "last heard 1.6 s ago, while running (12345 messages)");
  EXPECT_EQ(LastHeard(milliseconds(70), {.step = "getting ready"}),
            "last heard 0.07 s ago, while getting ready");
  EXPECT_EQ(LastHeard(milliseconds(-3), {}), "last heard 0 s ago");
}

}  // namespace
}  // namespace rdmabench
