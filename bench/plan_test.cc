#include "bench/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "transport/error.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::ThrowsMessage;

TestPlan WriteBw() {
  TestPlan test;
  test.test = "write_bw";
  test.run.message_bytes = {64, 4096};
  return test;
}

json Wire() { return PlanToJson({.tests = {WriteBw()}}); }

TEST(Plan, ComesBackFromJsonAsItWas) {
  TestPlan test = WriteBw();
  test.queue = {.qp_type = "rc",
                .queue_pairs = 8,
                .send_depth = 64,
                .post_list = 4,
                .signal_every = 16,
                .inline_bytes = 32};
  test.link = {.mtu_bytes = 2048, .timeout = 20, .retry_count = 3};
  test.memory.relaxed_ordering = false;
  test.run.iterations = 1000;
  const json once = PlanToJson({.tests = {test}});
  EXPECT_EQ(PlanToJson(PlanFromJson(once)), once);
  EXPECT_EQ(once["tests"][0]["queue"]["signal_every"], 16);
}

TEST(Plan, LeavesOutWhatWasNotAskedFor) {
  EXPECT_FALSE(Wire()["tests"][0]["queue"].contains("send_depth"));
  EXPECT_FALSE(PlanFromJson(Wire()).tests[0].queue.send_depth.has_value());
}

TEST(Plan, NamesTheNearestKeyForOneThatIsNotKnown) {
  json plan = Wire();
  plan["tests"][0]["queue"]["queue_pair"] = 2;
  EXPECT_THAT([&] { PlanFromJson(plan); },
              ThrowsMessage<Error>(AllOf(HasSubstr("queue_pair"), HasSubstr("queue_pairs"))));
}

struct HostileCase {
  const char* group;
  const char* key;
  json value;
};

class HostilePlan : public testing::TestWithParam<HostileCase> {};

TEST_P(HostilePlan, IsRefusedByThePathOfTheField) {
  json plan = Wire();
  plan["tests"][0][GetParam().group][GetParam().key] = GetParam().value;
  EXPECT_THAT(
      [&] { PlanFromJson(plan); },
      ThrowsMessage<Error>(HasSubstr(std::string(GetParam().group) + "." + GetParam().key)));
}

INSTANTIATE_TEST_SUITE_P(Values, HostilePlan,
                         testing::Values(HostileCase{"queue", "queue_pairs", 0},
                                         HostileCase{"queue", "queue_pairs", -1},
                                         HostileCase{"queue", "queue_pairs", 4294967297},
                                         HostileCase{"queue", "queue_pairs", 2.9},
                                         HostileCase{"queue", "queue_pairs", "8"},
                                         HostileCase{"queue", "queue_pairs", nullptr},
                                         HostileCase{"queue", "send_depth", 1'000'000'000},
                                         HostileCase{"queue", "qp_type", 7},
                                         HostileCase{"link", "timeout", 32},
                                         HostileCase{"run", "duration_ms", 1'000'000'000'000},
                                         HostileCase{"run", "message_bytes", 64},
                                         HostileCase{"run", "message_bytes", json::array({0})},
                                         HostileCase{"memory", "relaxed_ordering", "yes"}));

class SuiteFile : public testing::TestWithParam<const char*> {};

TEST_P(SuiteFile, IsAValidPlan) {
  EXPECT_NO_THROW(PlanFromFile(std::string("configs/") + GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Configs, SuiteFile, testing::Values("smoke.json", "sweep.json"));

class PlanFile : public testing::Test {
 protected:
  static std::string Write(const std::string& text) {
    const std::string path = testing::TempDir() + "/plan.json";
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(PlanFile, MayBeAReport) {
  const json report = {{"schema_version", 1}, {"plan", Wire()}, {"results", json::array()}};
  EXPECT_EQ(PlanToJson(PlanFromFile(Write(report.dump()))), Wire());
}

TEST_F(PlanFile, ThatIsWrongIsAUsageError) {
  for (const char* text : {"", "{", "[]", "{}", R"({"tests":[{"test":"write_b"}]})"}) {
    try {
      PlanFromFile(Write(text));
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::kUsage) << text;
    }
  }
}

TEST(Validate, RefusesAnIllegalPairNamingBoth) {
  TestPlan test = WriteBw();
  test.queue.qp_type = "ud";
  EXPECT_THAT([&] { Validate({.tests = {test}}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("write_bw"), HasSubstr("ud"))));
}

TEST(Validate, RefusesAPostListThatDoesNotFitNamingBothOptions) {
  TestPlan test = WriteBw();
  test.queue.send_depth = 8;
  test.queue.post_list = 9;
  EXPECT_THAT([&] { Validate({.tests = {test}}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("--post-list 9"), HasSubstr("--tx-depth 8"))));
}

TEST(Validate, RefusesASignallingCadenceBeyondTheQueueNamingBothOptions) {
  TestPlan test = WriteBw();
  test.queue.send_depth = 8;
  test.queue.signal_every = 9;
  EXPECT_THAT([&] { Validate({.tests = {test}}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("--cq-mod 9"), HasSubstr("--tx-depth 8"))));
}

TEST(Validate, RefusesAnMtuThatIsNoneNamingTheLegalOnes) {
  TestPlan test = WriteBw();
  test.link.mtu_bytes = 1000;
  EXPECT_THAT([&] { Validate({.tests = {test}}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("1000"), HasSubstr("1024"))));
}

TEST(Validate, RefusesAnEmptyPlan) {
  EXPECT_THROW(Validate({}), Error);
  TestPlan test = WriteBw();
  test.run.message_bytes.clear();
  EXPECT_THROW(Validate({.tests = {test}}), Error);
}

}  // namespace
}  // namespace rdmabench
