// What a plan asks of the server's machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/plan.h"
#include "bench/suite.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::ThrowsMessage;

Plan WriteBw() {
  Plan plan;
  plan.tests.emplace_back().test = "write_bw";
  return plan;
}

TEST(RemoteOptions, AreInThePlanOnlyWhereTheyAskSomething) {
  EXPECT_FALSE(PlanToJson(WriteBw()).contains("remote"));
}

TEST(RemoteOptions, ComeBackAsTheyWere) {
  Plan plan = WriteBw();
  plan.remote.cpus = {4, 2};
  plan.remote.numa_node = 1;
  const json once = PlanToJson(plan);
  EXPECT_EQ(once["remote"], json::parse(R"({"cpus":[4,2],"numa_node":1})"));
  EXPECT_EQ(PlanToJson(PlanFromJson(once)), once);
}

TEST(RemoteOptions, MayStandInASuite) {
  const json suite = json::parse(
      R"({"tests":[{"test":["write_bw","read_bw"]}],"remote":{"cpus":[4],"numa_node":1}})");
  EXPECT_EQ(ExpandSuite(suite)["remote"], suite["remote"]);
}

TEST(RemoteOptions, ListACpuOnce) {
  Plan plan = WriteBw();
  plan.remote.cpus = {2, 4, 2};
  EXPECT_THAT([&] { Validate(plan); }, ThrowsMessage<Error>(HasSubstr("cpu 2 twice")));
}

class HostileRemoteOptions : public testing::TestWithParam<const char*> {};

TEST_P(HostileRemoteOptions, AreRefused) {
  json plan = PlanToJson(WriteBw());
  plan["remote"] = json::parse(GetParam());
  EXPECT_THROW(PlanFromJson(plan), Error);
}

INSTANTIATE_TEST_SUITE_P(Fields, HostileRemoteOptions,
                         testing::Values(R"({"cpus":[65536]})", R"({"cpus":2})", R"({"cpus":[-1]})",
                                         R"({"numa_node":-1})", R"({"numa_node":65536})",
                                         R"({"cores":[2]})", "[]"));

}  // namespace
}  // namespace rdmabench
