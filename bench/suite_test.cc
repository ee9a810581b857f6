#include "bench/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/plan.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;
using testing::ThrowsMessage;

json Expand(const std::string& text) { return ExpandSuite(json::parse(text)); }

// "write_bw rc 1": what varies in these tests, in the order of the plan.
std::vector<std::string> Shown(const json& plan) {
  std::vector<std::string> shown;
  for (const json& test : plan["tests"]) {
    std::string line = test["test"].get<std::string>();
    for (const char* key : {"qp_type", "queue_pairs"}) {
      const json::json_pointer place(std::string("/queue/") + key);
      if (test.contains(place)) line += " " + test[place].dump();
    }
    line.erase(std::remove(line.begin(), line.end(), '"'), line.end());
    shown.push_back(line);
  }
  return shown;
}

json Numbers(int count) {
  json numbers = json::array();
  for (int number = 1; number <= count; ++number) numbers.push_back(number);
  return numbers;
}

// Stands for 255 to the power of 9 tests.
json BeyondEveryNumber() {
  json test = {{"test", "write_bw"}};
  for (const char* key :
       {"queue_pairs", "post_list", "send_depth", "signal_every", "inline_bytes"}) {
    test["queue"][key] = Numbers(255);
  }
  for (const char* key : {"iterations", "duration_ms", "warmup_ms"}) {
    test["run"][key] = Numbers(255);
  }
  test["link"]["hop_limit"] = Numbers(255);
  return test;
}

TEST(Suite, WithoutListsIsThePlanItself) {
  const json plan = json::parse(
      R"({"tests":[{"test":"write_bw","queue":{"queue_pairs":8},"run":{"message_bytes":[64]}},
                   {"test":"write_bw"}]})");
  EXPECT_EQ(ExpandSuite(plan), plan);
}

TEST(Suite, MayBeAWrittenPlanWithAllItsFields) {
  TestPlan test;
  test.test = "write_bw";
  test.run.message_bytes = {64};
  const json plan = PlanToJson({.tests = {test}});
  EXPECT_EQ(ExpandSuite(plan), plan);
}

TEST(Suite, StandsForEveryCombinationOfItsLists) {
  const json plan = Expand(R"({"tests":[{"test":["write_bw","send_bw"],
                              "queue":{"queue_pairs":[1,8],"qp_type":["rc","uc"]}}]})");
  EXPECT_THAT(Shown(plan),
              ElementsAre("write_bw rc 1", "write_bw rc 8", "write_bw uc 1", "write_bw uc 8",
                          "send_bw rc 1", "send_bw rc 8", "send_bw uc 1", "send_bw uc 8"));
}

TEST(Suite, VariesTheLastFieldByNameFastestAndTheTypeBeforeTheLink) {
  const json plan = Expand(R"({"tests":[{"test":"write_bw","run":{"burst":[1,2]},
                              "link":{"timeout":[3,4]},"queue":{"qp_type":["rc","uc"]}}]})");
  ASSERT_THAT(plan["tests"], SizeIs(8));
  EXPECT_EQ(plan["tests"][1]["run"]["burst"], 2);
  EXPECT_EQ(plan["tests"][2]["link"]["timeout"], 4);
  EXPECT_EQ(plan["tests"][4]["queue"]["qp_type"], "uc");
}

TEST(Suite, KeepsTheOrderOfItsTestsAndOfAListsValues) {
  const json plan = Expand(
      R"({"tests":[{"test":"write_bw","queue":{"queue_pairs":[8,1,8]}},{"test":"read_bw"}]})");
  EXPECT_THAT(Shown(plan), ElementsAre("write_bw 8", "write_bw 1", "write_bw 8", "read_bw"));
}

TEST(Suite, TakesFlagsAndTextsInListsToo) {
  const json plan = Expand(R"({"tests":[{"test":"write_bw",
                              "memory":{"relaxed_ordering":[true,false],"kind":["host"]}}]})");
  ASSERT_THAT(plan["tests"], SizeIs(2));
  EXPECT_EQ(plan["tests"][1]["memory"], json({{"kind", "host"}, {"relaxed_ordering", false}}));
}

TEST(Suite, DropsItsNameAndComment) {
  EXPECT_EQ(Expand(R"({"name":"smoke","comment":"for every push","tests":[{"test":"write_bw"}]})"),
            json::parse(R"({"tests":[{"test":"write_bw"}]})"));
}

TEST(Suite, LeavesAListOfSizesInOneTest) {
  const json plan = Expand(R"({"tests":[{"test":"write_bw","run":{"message_bytes":[64,128]},
                              "link":{"flow_labels":[1,2]}}]})");
  ASSERT_THAT(plan["tests"], SizeIs(1));
  EXPECT_EQ(plan["tests"][0]["run"]["message_bytes"], json({64, 128}));
  EXPECT_EQ(plan["tests"][0]["link"]["flow_labels"], json({1, 2}));
}

TEST(Suite, LeavesAListOfPercentilesInOneTestAndMultipliesListsOfThem) {
  const json plan = Expand(R"({"tests":[{"test":"read_lat","run":{"percentiles":[50,99.9]}},
                          {"test":"send_lat","run":{"percentiles":[[50],[99]]}}]})");
  ASSERT_THAT(plan["tests"], SizeIs(3));
  EXPECT_EQ(plan["tests"][0]["run"]["percentiles"], json({50, 99.9}));
  EXPECT_EQ(plan["tests"][2]["run"]["percentiles"], json::array({99}));
}

TEST(Suite, MultipliesListsOfSizes) {
  const json plan =
      Expand(R"({"tests":[{"test":"write_bw","run":{"message_bytes":[[64,128],[4096]]}}]})");
  ASSERT_THAT(plan["tests"], SizeIs(2));
  EXPECT_EQ(plan["tests"][0]["run"]["message_bytes"], json({64, 128}));
  EXPECT_EQ(plan["tests"][1]["run"]["message_bytes"], json::array({4096}));
}

TEST(SuiteDefaults, AreMergedFieldByField) {
  const json plan = Expand(R"({"defaults":{"queue":{"queue_pairs":4,"post_list":2}},
                              "tests":[{"test":"write_bw","queue":{"queue_pairs":8}},
                                       {"test":"write_bw"}]})");
  EXPECT_EQ(plan["tests"][0]["queue"], json({{"queue_pairs", 8}, {"post_list", 2}}));
  EXPECT_EQ(plan["tests"][1]["queue"], json({{"queue_pairs", 4}, {"post_list", 2}}));
}

TEST(SuiteDefaults, MayHaveListsWhichAScalarOfTheTestReplaces) {
  const json plan = Expand(R"({"defaults":{"queue":{"queue_pairs":[1,2]}},
                              "tests":[{"test":"write_bw"},
                                       {"test":"read_bw","queue":{"queue_pairs":8}}]})");
  EXPECT_THAT(Shown(plan), ElementsAre("write_bw 1", "write_bw 2", "read_bw 8"));
}

TEST(SuiteDefaults, MayBeReplacedByAList) {
  const json plan = Expand(R"({"defaults":{"queue":{"queue_pairs":8}},
                              "tests":[{"test":"write_bw","queue":{"queue_pairs":[1,2]}}]})");
  EXPECT_THAT(Shown(plan), ElementsAre("write_bw 1", "write_bw 2"));
}

TEST(SuiteIllegal, IsLeftOutAndCountedWhenAskedFor) {
  std::uint64_t left_out = 0;
  const json plan = ExpandSuite(json::parse(R"({"skip_illegal":true,"tests":[
      {"test":["write_bw","send_bw"],"queue":{"qp_type":["rc","ud"],"queue_pairs":[1,8]}}]})"),
                                &left_out);
  EXPECT_THAT(Shown(plan), ElementsAre("write_bw rc 1", "write_bw rc 8", "send_bw rc 1",
                                       "send_bw rc 8", "send_bw ud 1", "send_bw ud 8"));
  EXPECT_EQ(left_out, 2u);
}

TEST(SuiteIllegal, DoesNotCountTowardsTheMostTests) {
  json suite = json::parse(R"({"skip_illegal":true,"tests":[{"test":"write_bw"}]})");
  suite["tests"][0]["queue"] = {
      {"qp_type", {"rc", "ud"}}, {"queue_pairs", Numbers(64)}, {"post_list", Numbers(64)}};
  std::uint64_t left_out = 0;
  EXPECT_THAT(ExpandSuite(suite, &left_out)["tests"], SizeIs(kMostTests));
  EXPECT_EQ(left_out, kMostTests);
}

TEST(SuiteIllegal, IsNotMadeHoweverMuchItIs) {
  json suite = json::parse(R"({"skip_illegal":true,"tests":[{"test":"write_bw"},{}]})");
  suite["tests"][1] = BeyondEveryNumber();
  suite["tests"][1]["queue"]["qp_type"] = "ud";
  std::uint64_t left_out = 0;
  EXPECT_THAT(ExpandSuite(suite, &left_out)["tests"], SizeIs(1));
  EXPECT_EQ(left_out, std::numeric_limits<std::uint64_t>::max());
}

TEST(SuiteLimit, IsTheNumberOfTestsAndNamesIt) {
  json suite = json::parse(R"({"tests":[{"test":["write_bw","read_bw"]}]})");
  suite["tests"][0]["queue"] = {{"queue_pairs", Numbers(32)}, {"post_list", Numbers(64)}};
  EXPECT_THAT(ExpandSuite(suite)["tests"], SizeIs(kMostTests));
  suite["tests"].push_back({{"test", "write_bw"}});
  EXPECT_THAT([&] { ExpandSuite(suite); },
              ThrowsMessage<Error>("tests stands for 4097 tests, allowed are up to 4096"));
}

TEST(SuiteLimit, HoldsForProductsBeyondEveryNumber) {
  const json suite = {{"tests", {BeyondEveryNumber(), {{"test", "write_bw"}}}}};
  EXPECT_THAT([&] { ExpandSuite(suite); },
              ThrowsMessage<Error>("tests stands for at least 18446744073709551615 tests, allowed "
                                   "are up to 4096"));
}

struct WrongSuite {
  const char* text;
  const char* message;
};

class WrongSuiteTest : public testing::TestWithParam<WrongSuite> {};

TEST_P(WrongSuiteTest, IsAUsageErrorThatNamesThePlace) {
  try {
    Expand(GetParam().text);
    FAIL() << GetParam().text;
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kUsage);
    EXPECT_THAT(std::string(error.what()), StartsWith(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Document, WrongSuiteTest,
    testing::Values(
        WrongSuite{"[]", "the document is a list of 0, allowed are objects only"},
        WrongSuite{"{}", "tests is missing"},
        WrongSuite{R"({"tests":[]})", "tests is an empty list"},
        WrongSuite{R"({"tests":{}})", "tests is an object, allowed are lists of up to 4096"},
        WrongSuite{R"({"tests":[7]})", "tests[0] is 7, allowed are objects only"},
        WrongSuite{R"({"test":[{"test":"write_bw"}]})",
                   "the document has an unknown key 'test'; did you mean tests"},
        WrongSuite{R"({"default":{},"tests":[{"test":"write_bw"}]})",
                   "the document has an unknown key 'default'; did you mean defaults?"},
        WrongSuite{R"({"name":7,"tests":[{"test":"write_bw"}]})", "name is 7, allowed are texts"},
        WrongSuite{R"({"skip_illegal":"yes","tests":[{"test":"write_bw"}]})",
                   "skip_illegal is \"yes\", allowed are true and false"},
        WrongSuite{
            R"({"skip_illegal":true,"tests":[{"test":"write_bw","queue":{"qp_type":"ud"}}]})",
            "tests has no legal combination of test and queue.qp_type"}));

INSTANTIATE_TEST_SUITE_P(
    Defaults, WrongSuiteTest,
    testing::Values(
        WrongSuite{R"({"defaults":[],"tests":[{"test":"write_bw"}]})",
                   "defaults is a list of 0, allowed are objects only"},
        WrongSuite{R"({"defaults":{"test":"write_bw"},"tests":[{"test":"write_bw"}]})",
                   "defaults has an unknown key 'test'"},
        WrongSuite{R"({"defaults":{"que":{}},"tests":[{"test":"write_bw"}]})",
                   "defaults has an unknown key 'que'; did you mean queue"},
        WrongSuite{R"({"defaults":{"queue":7},"tests":[{"test":"write_bw"}]})",
                   "defaults.queue is 7, allowed are objects only"},
        WrongSuite{R"({"defaults":{"queue":{"queue_pair":2}},"tests":[{"test":"write_bw"}]})",
                   "defaults.queue has an unknown key 'queue_pair'; did you mean queue_pairs"},
        WrongSuite{R"({"defaults":{"queue":{"queue_pairs":0}},
                       "tests":[{"test":"write_bw","queue":{"queue_pairs":1}}]})",
                   "defaults.queue.queue_pairs is 0, allowed are whole numbers from 1 to 16384"},
        WrongSuite{
            R"({"defaults":{"queue":{"qp_type":["rc","ud"]}},"tests":[{"test":"write_bw"}]})",
            "defaults.queue.qp_type[1] is ud, which does not go with write_bw in "
            "tests[0].test"}));

INSTANTIATE_TEST_SUITE_P(
    Tests, WrongSuiteTest,
    testing::Values(
        WrongSuite{R"({"tests":[{}]})", "tests[0].test is missing"},
        WrongSuite{R"({"tests":[{"test":7}]})", "tests[0].test is 7, allowed are texts only"},
        WrongSuite{R"({"tests":[{"test":{"test":"write_bw"}}]})",
                   "tests[0].test is an object, allowed are texts only"},
        WrongSuite{R"({"tests":[{"test":"write_bw"},{"test":["read_bw","write_b"]}]})",
                   "tests[1].test[1]: unknown test 'write_b'; did you mean write_bw"},
        WrongSuite{R"({"tests":[{"test":[]}]})", "tests[0].test is a list of 0, allowed are texts"},
        WrongSuite{R"({"tests":[{"test":[["write_bw"]]}]})",
                   "tests[0].test[0] is a list of 1, allowed are texts only"},
        WrongSuite{R"({"tests":[{"test":"write_bw","que":{}}]})",
                   "tests[0] has an unknown key 'que'; did you mean queue"},
        WrongSuite{R"({"tests":[{"test":"write_bw","que":[]}]})",
                   "tests[0] has an unknown key 'que'; did you mean queue"},
        WrongSuite{R"({"tests":[{"test":"write_bw","queue":[{"queue_pairs":1}]}]})",
                   "tests[0].queue is a list of 1, allowed are objects only"},
        WrongSuite{R"({"tests":[{"test":"write_bw","queue":null}]})",
                   "tests[0].queue is null, allowed are objects only"}));

INSTANTIATE_TEST_SUITE_P(
    Fields, WrongSuiteTest,
    testing::Values(
        WrongSuite{R"({"tests":[{"test":"write_bw","queue":{"queue_pair":[1,2]}}]})",
                   "tests[0].queue has an unknown key 'queue_pair'; did you mean queue_pairs"},
        WrongSuite{R"({"tests":[{"test":"write_bw","queue":{"queue_pairs":[]}}]})",
                   "tests[0].queue.queue_pairs is a list of 0, allowed are whole numbers from 1"},
        WrongSuite{R"({"tests":[{"test":"write_bw","queue":{"queue_pairs":[1,"8"]}}]})",
                   "tests[0].queue.queue_pairs[1] is \"8\", allowed are whole numbers from 1"},
        WrongSuite{R"({"tests":[{"test":"write_bw","queue":{"queue_pairs":[1,[2]]}}]})",
                   "tests[0].queue.queue_pairs[1] is a list of 1, allowed are whole numbers"},
        WrongSuite{R"({"tests":[{"test":"write_bw","queue":{"queue_pairs":{"a":{"b":[1]}}}}]})",
                   "tests[0].queue.queue_pairs is an object, allowed are whole numbers"},
        WrongSuite{R"({"tests":[{"test":"write_bw","queue":{"qp_type":["rc","xrc"]}}]})",
                   "tests[0].queue.qp_type[1]: unknown queue pair type \"xrc\""},
        WrongSuite{
            R"({"tests":[{"test":"write_bw","queue":{"qp_type":"ud"}}]})",
            "tests[0].queue.qp_type is ud, which does not go with write_bw in tests[0].test"},
        WrongSuite{R"({"tests":[{"test":"write_bw","run":{"message_bytes":64}}]})",
                   "tests[0].run.message_bytes is 64, allowed are lists of up to 4096"},
        WrongSuite{R"({"tests":[{"test":"write_bw","run":{"message_bytes":[64,0]}}]})",
                   "tests[0].run.message_bytes[1] is 0, allowed are whole numbers from 1"},
        WrongSuite{R"({"tests":[{"test":"write_bw","run":{"message_bytes":[[64],[64,0]]}}]})",
                   "tests[0].run.message_bytes[1][1] is 0, allowed are whole numbers from 1"},
        WrongSuite{R"({"tests":[{"test":"write_bw","run":{"message_bytes":[[64],64]}}]})",
                   "tests[0].run.message_bytes[1] is 64, allowed are lists of up to 4096"}));

TEST(Suite, TellsWhichTypesGoWithTheTestAndHowToSkipTheOthers) {
  try {
    Expand(R"({"tests":[{"test":"write_bw","queue":{"qp_type":"ud"}}]})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.remedy(), AllOf(HasSubstr("rc"), HasSubstr("skip_illegal")));
  }
}

TEST(Suite, RefusesAListBeyondTheMostTestsBeforeItLooksAtIt) {
  json suite = json::parse(R"({"tests":[{"test":"write_bw"}]})");
  suite["tests"][0]["queue"]["queue_pairs"] = Numbers(4097);
  EXPECT_THAT([&] { ExpandSuite(suite); },
              ThrowsMessage<Error>("tests[0].queue.queue_pairs is a list of 4097, allowed are "
                                   "lists of up to 4096"));
}

TEST(Suite, DoesNotRepeatControlCharactersOfAKey) {
  json suite = json::parse(R"({"tests":[{"test":"write_bw","queue":{"\u001b[2J":1}}]})");
  EXPECT_THAT([&] { ExpandSuite(suite); },
              ThrowsMessage<Error>(StartsWith("tests[0].queue has an unknown key '?[2J'")));
}

TEST(Suite, IsWhatAPlanFileMayBe) {
  const std::string path = testing::TempDir() + "/suite.json";
  std::ofstream(path) << R"({"defaults":{"run":{"message_bytes":[64]}},
                             "tests":[{"test":"write_bw","queue":{"queue_pairs":[1,8]}}]})";
  const Plan plan = PlanFromFile(path);
  ASSERT_THAT(plan.tests, SizeIs(2));
  EXPECT_EQ(plan.tests[1].queue.queue_pairs, 8u);
  EXPECT_THAT(plan.tests[1].run.message_bytes, ElementsAre(64));
}

}  // namespace
}  // namespace rdmabench
