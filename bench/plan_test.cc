#include "bench/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "bench/clash.h"
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

class PlanGroup : public testing::TestWithParam<const char*> {};

TEST_P(PlanGroup, HasAllItsKeysInTheSuitesPage) {
  std::ostringstream page;
  page << std::ifstream("docs/suite.md").rdbuf();
  std::string keys;
  try {
    PlanFromJson({{"tests", {{{"test", "write_bw"}, {GetParam(), {{"?", 0}}}}}}}, Blame::kUsage);
    FAIL() << "an unknown key was accepted";
  } catch (const Error& error) {
    keys = error.remedy();
  }
  const std::string start = "known keys: ";
  ASSERT_TRUE(keys.starts_with(start)) << keys;
  std::istringstream list(keys.substr(start.size()));
  std::size_t count = 0;
  for (std::string key; std::getline(list >> std::ws, key, ','); ++count) {
    EXPECT_THAT(page.str(), HasSubstr("`" + std::string(GetParam()) + "." + key + "`"));
  }
  EXPECT_GE(count, 2U);
}

INSTANTIATE_TEST_SUITE_P(All, PlanGroup, testing::Values("queue", "link", "memory", "run"));

TEST(Plan, ComesBackFromJsonAsItWas) {
  TestPlan test = WriteBw();
  test.queue.queue_pairs = 8;
  test.queue.threads = 2;
  test.queue.send_depth = 64;
  test.queue.post_list = 4;
  test.queue.signal_every = 16;
  test.queue.inline_bytes = 32;
  test.queue.bidirectional = true;
  test.link.mtu_bytes = 2048;
  test.link.timeout = 20;
  test.link.retry_count = 3;
  test.link.flow_labels = {1, 2};
  test.link.gid_type = "roce_v2";
  test.link.ipv6 = false;
  test.memory.relaxed_ordering = false;
  test.run.iterations = 1000;
  test.run.rate.bits_per_second = 1e9;
  test.run.burst = 8;
  test.run.arrival = "poisson";
  test.run.arrival_seed = 18446744073709551615U;
  test.run.runs = 6;
  test.run.warmup_max_ms = 500;
  test.run.verify = true;
  test.run.verify_seed = 9;
  const json once = PlanToJson({.tests = {test}});
  EXPECT_EQ(PlanToJson(PlanFromJson(once)), once);
  EXPECT_EQ(once["tests"][0]["queue"]["signal_every"], 16);
}

TEST(Plan, KeepsPercentilesToTheLastDigit) {
  TestPlan test;
  test.test = "read_lat";
  test.run.percentiles = {0.1, 33.3333333, 99.9999999};
  const json wire = json::parse(PlanToJson({.tests = {test}}).dump());
  EXPECT_EQ(PlanFromJson(wire).tests[0].run.percentiles, test.run.percentiles);
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

INSTANTIATE_TEST_SUITE_P(
    Values, HostilePlan,
    testing::Values(
        HostileCase{"queue", "queue_pairs", 0}, HostileCase{"queue", "queue_pairs", -1},
        HostileCase{"queue", "queue_pairs", 4294967297}, HostileCase{"queue", "queue_pairs", 2.9},
        HostileCase{"queue", "queue_pairs", "8"}, HostileCase{"queue", "queue_pairs", nullptr},
        HostileCase{"queue", "queue_pairs", 1'000'000'000},
        HostileCase{"queue", "threads", 1'000'000'000},
        HostileCase{"queue", "send_depth", 1'000'000'000}, HostileCase{"queue", "qp_type", 7},
        HostileCase{"queue", "threads", 0}, HostileCase{"queue", "recv_depth", 0},
        HostileCase{"queue", "read_depth", 256}, HostileCase{"queue", "bidirectional", 1},
        HostileCase{"link", "timeout", 32}, HostileCase{"link", "service_level", 16},
        HostileCase{"link", "traffic_class", 256},
        HostileCase{"link", "flow_labels", json::array({1 << 20})},
        HostileCase{"link", "gid_type", 2}, HostileCase{"run", "rate_bits_per_second", 0},
        HostileCase{"run", "percentiles", 50}, HostileCase{"run", "percentiles", json::array({0})},
        HostileCase{"run", "percentiles", json::array({50, 100})},
        HostileCase{"run", "percentiles", json::array({"50"})},
        HostileCase{"run", "percentiles", json(std::vector<int>(65, 50))},
        HostileCase{"run", "reply_timeout_ms", 0},
        HostileCase{"run", "duration_ms", 1'000'000'000'000'000},
        HostileCase{"run", "iterations", 1'000'000'000'000'000},
        HostileCase{"run", "message_bytes", json::array({1LL << 40})},
        HostileCase{"memory", "working_set_bytes", (1LL << 40) + 1},
        HostileCase{"run", "message_bytes", 64}, HostileCase{"run", "verify", 1},
        HostileCase{"run", "verify_seed", 4294967296},
        HostileCase{"run", "message_bytes", json::array({0})},
        HostileCase{"memory", "relaxed_ordering", "yes"}));

class SuiteFile : public testing::TestWithParam<const char*> {};

TEST_P(SuiteFile, IsAValidPlan) {
  EXPECT_NO_THROW(PlanFromFile(std::string("configs/") + GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Configs, SuiteFile,
                         testing::Values("smoke.json", "sweep.json", "latency.json", "full.json"));

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

TEST_F(PlanFile, MayComeFromStandardInput) {
  std::istringstream input(Wire().dump());
  std::streambuf* const before = std::cin.rdbuf(input.rdbuf());
  const Plan plan = PlanFromFile("-");
  std::cin.rdbuf(before);
  EXPECT_EQ(PlanToJson(plan), Wire());
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

TEST(Validate, RefusesAnEmptyPlan) { EXPECT_THROW(Validate({}), Error); }

TEST(Validate, LeavesTheSizesToTheTestWhereNoneIsGiven) {
  TestPlan test = WriteBw();
  test.run.message_bytes.clear();
  EXPECT_NO_THROW(Validate({.tests = {test}}));
}

TEST(Validate, RefusesASizeThatAnAtomicDoesNotHave) {
  TestPlan test = WriteBw();
  test.test = "fetch_add_bw";
  test.run.message_bytes = {8};
  EXPECT_NO_THROW(Validate({.tests = {test}}));
  test.run.message_bytes = {64};
  EXPECT_THAT([&] { Validate({.tests = {test}}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("--size 64"), HasSubstr("fetch_add_bw"))));
}

TEST(Validate, RefusesAGidTypeThatIsNoneNamingTheKnownOnes) {
  TestPlan test = WriteBw();
  test.link.gid_type = "roce";
  try {
    Validate({.tests = {test}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'roce'"));
    EXPECT_THAT(error.remedy(), HasSubstr("roce_v2"));
  }
}

struct Unranked {
  std::vector<double> percents;
  const char* words;
};
class UnrankedPercentiles : public testing::TestWithParam<Unranked> {};

TEST_P(UnrankedPercentiles, AreRefusedWithTheRemedy) {
  TestPlan test;
  test.test = "read_lat";
  test.run.percentiles = {25, 99.999};
  EXPECT_NO_THROW(Validate({.tests = {test}}));
  test.run.percentiles = GetParam().percents;
  EXPECT_THAT([&] { Validate({.tests = {test}}); },
              ThrowsMessage<Error>(HasSubstr(GetParam().words)));
}

INSTANTIATE_TEST_SUITE_P(Rules, UnrankedPercentiles,
                         testing::Values(Unranked{{}, "--percentiles lists none"},
                                         Unranked{{99.9, 99}, "p99 after p99.9"},
                                         Unranked{{50, 50}, "p50 after p50"},
                                         Unranked{{33.33333333}, "seven decimals"}));

class ClashTest : public testing::TestWithParam<Clash> {};

TEST_P(ClashTest, IsRefusedNamingBoth) { ExpectRefusedNamingBoth(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Rules, ClashTest,
    testing::Values(
        Clash{"write_bw", [](TestPlan& plan) { plan.queue.threads = 2; }, "--threads", "--qp"},
        Clash{"write_bw",
              [](TestPlan& plan) { plan.queue.bidirectional = plan.queue.reversed = true; },
              "--bidirectional", "--reversed"},
        Clash{"send_lat", [](TestPlan& plan) { plan.queue.bidirectional = true; },
              "--bidirectional", "send_lat"},
        Clash{"read_lat", [](TestPlan& plan) { plan.queue.post_list = 2; }, "--post-list",
              "read_lat"},
        Clash{"read_lat", [](TestPlan& plan) { plan.queue.signal_every = 2; }, "--cq-mod",
              "read_lat"},
        Clash{"write_bw", [](TestPlan& plan) { plan.run.percentiles = {50}; }, "--percentiles",
              "write_bw"},
        Clash{"write_bw", [](TestPlan& plan) { plan.run.burst = 8; }, "--burst", "needs --rate"},
        Clash{"write_bw",
              [](TestPlan& plan) {
                plan.run.rate = {1e9, 1e6};
              },
              "bits", "messages"},
        Clash{"write_bw", [](TestPlan& plan) { plan.queue.use_srq = true; }, "--use-srq",
              "write_bw"},
        Clash{"write_bw", [](TestPlan& plan) { plan.queue.recv_depth = 8; }, "--rx-depth",
              "write_bw"},
        Clash{"read_bw", [](TestPlan& plan) { plan.queue.recv_post_list = 8; }, "--recv-post-list",
              "read_bw"},
        Clash{"send_bw",
              [](TestPlan& plan) {
                plan.queue.recv_post_list = 8;
                plan.queue.recv_depth = 4;
              },
              "--recv-post-list", "--rx-depth"},
        Clash{"send_lat",
              [](TestPlan& plan) {
                plan.queue.use_srq = true;
                plan.queue.queue_pairs = 2;
              },
              "--use-srq", "several queue pairs"},
        Clash{"send_bw", [](TestPlan& plan) { plan.queue.read_depth = 2; }, "--outs", "send_bw"},
        Clash{"read_bw", [](TestPlan& plan) { plan.queue.inline_bytes = 8; }, "--inline-size",
              "read_bw"},
        Clash{"write_lat", [](TestPlan& plan) { plan.queue.events = true; }, "--events",
              "write_lat"},
        Clash{"send_bw",
              [](TestPlan& plan) {
                plan.link.flow_labels = {1, 2, 3};
                plan.queue.queue_pairs = 2;
              },
              "--flow-label", "--qp"},
        Clash{"send_bw", [](TestPlan& plan) { plan.queue.completion_vector = 1; }, "--vector",
              "needs --events"},
        Clash{"send_bw",
              [](TestPlan& plan) {
                plan.run.until_interrupted = true;
                plan.run.iterations = 8;
              },
              "--run-infinitely", "--iters"},
        Clash{"send_bw",
              [](TestPlan& plan) {
                plan.run.until_interrupted = true;
                plan.run.message_bytes = {8, 16};
              },
              "--run-infinitely", "several sizes"},
        Clash{"send_bw",
              [](TestPlan& plan) {
                plan.run.all_sizes = true;
                plan.run.message_bytes = {8};
              },
              "--all", "--size"},
        Clash{"cmp_swap_bw", [](TestPlan& plan) { plan.run.all_sizes = true; }, "--all",
              "cmp_swap_bw"},
        Clash{"send_bw",
              [](TestPlan& plan) { plan.run.all_sizes = plan.run.until_interrupted = true; },
              "--all", "--run-infinitely"},
        Clash{"send_lat",
              [](TestPlan& plan) {
                plan.run.verify = true;
                plan.run.rate.messages_per_second = 1000;
              },
              "--verify", "a rate in a latency test"},
        Clash{"send_bw", [](TestPlan& plan) { plan.run.verify_seed = 1; }, "--verify-seed",
              "needs --verify"},
        Clash{"send_bw",
              [](TestPlan& plan) {
                plan.run.verify = plan.queue.use_srq = true;
                plan.queue.queue_pairs = 2;
              },
              "--verify", "--use-srq"},
        Clash{"write_lat", [](TestPlan& plan) { plan.memory.relaxed_ordering = true; },
              "--relaxed-ordering on", "write_lat"}));

struct CmClash {
  void (*ask)(TestPlan&);
  const char* option;
};
class CmClashTest : public testing::TestWithParam<CmClash> {};

TEST_P(CmClashTest, IsRefusedNamingBoth) {
  TestPlan test;
  test.test = "send_bw";
  test.queue.rdma_cm = true;
  EXPECT_NO_THROW(Validate({.tests = {test}}));
  GetParam().ask(test);
  EXPECT_THAT([&] { Validate({.tests = {test}}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("--rdma-cm"), HasSubstr(GetParam().option))));
}

INSTANTIATE_TEST_SUITE_P(
    Rules, CmClashTest,
    testing::Values(CmClash{[](TestPlan& plan) { plan.queue.qp_type = "uc"; }, "--connection uc"},
                    CmClash{[](TestPlan& plan) { plan.link.service_level = 1; }, "--sl"},
                    CmClash{[](TestPlan& plan) { plan.link.flow_labels = {1}; }, "--flow-label"},
                    CmClash{[](TestPlan& plan) { plan.link.hop_limit = 1; }, "--hop-limit"},
                    CmClash{[](TestPlan& plan) { plan.link.pkey_index = 1; }, "--pkey-index"}));

}  // namespace
}  // namespace rdmabench
