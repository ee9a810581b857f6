#include "report/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "report/golden_file.h"
#include "report/json.h"
#include "report/sample_reports.h"

namespace rdmabench::report {
namespace {

using ::testing::Combine;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ValuesIn;

std::string GoldenPath(const Sample& sample, const Format& format) {
  const std::string extension = format.name == "text" ? "txt" : std::string(format.name);
  return "report/testdata/" + std::string(sample.name) + "." + extension;
}

class GoldenTest : public ::testing::TestWithParam<std::tuple<Sample, Format>> {};

TEST_P(GoldenTest, RendersAsBefore) {
  const auto& [sample, format] = GetParam();
  ExpectGolden(format.render(sample.report()), GoldenPath(sample, format));
}

TEST_P(GoldenTest, HasNoControlCharactersButLineEnds) {
  const auto& [sample, format] = GetParam();
  for (const char c : format.render(sample.report())) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTest, Combine(ValuesIn(Samples()), ValuesIn(Formats())),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) + "_" +
                                  std::string(std::get<1>(row.param).name);
                         });

class FormatTest : public ::testing::TestWithParam<Format> {};

TEST_P(FormatTest, IsFoundByItsName) {
  const auto found = FindFormat(GetParam().name);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->render, GetParam().render);
}

TEST_P(FormatTest, RendersAnEmptyReport) {
  const std::string rendered = GetParam().render(Report{});
  ASSERT_FALSE(rendered.empty());
  EXPECT_EQ(rendered.back(), '\n');
}

INSTANTIATE_TEST_SUITE_P(All, FormatTest, ValuesIn(Formats()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(FindFormat, IsAbsentForAnUnknownName) {
  EXPECT_FALSE(FindFormat("xml"));
  EXPECT_FALSE(FindFormat(""));
}

TEST(Json, LeavesOutAPlanThatIsNone) {
  for (const std::string plan : {"[]", "{", "3", "{\"a\":1e999}", "{\"a\":\"\xff\"}"}) {
    const std::string json = FindFormat("json")->render(Report{.plan_json = plan});
    EXPECT_THAT(json, Not(HasSubstr("\"plan\":"))) << plan;
    EXPECT_THAT(json, HasSubstr("the plan is not a JSON object")) << plan;
  }
}

TEST(Json, SurvivesAPlanThatIsNestedAMillionDeep) {
  std::string plan;
  for (int i = 0; i < 1000000; ++i) plan += "{\"a\":";
  const std::string json = FindFormat("json")->render(Report{.plan_json = plan});
  EXPECT_THAT(json, Not(HasSubstr("\"plan\":")));
}

TEST(Json, RendersAHostOnOneLineAsInTheDocument) {
  const Host host{.role = "server", .name = "host-b\n\xff", .address = "10.0.0.2", .cpu = ""};
  EXPECT_EQ(RenderHost(host), R"({"role":"server","name":"host-b\n)"
                              "\uFFFD"
                              R"(","address":"10.0.0.2"})");
}

std::string NamesIn(const std::string& csv) { return csv.substr(0, csv.find('\n')); }

TEST(Csv, HasTheSameColumnsInEveryCase) {
  const auto render = FindFormat("csv")->render;
  const std::string names = NamesIn(render(Report{}));
  for (const Sample& sample : Samples()) EXPECT_EQ(NamesIn(render(sample.report())), names);
}

TEST(Csv, HasOtherPercentilesBehindThem) {
  const auto render = FindFormat("csv")->render;
  Report report;
  report.results.resize(1);
  report.results[0].latency.emplace().percentiles = {{.percent = 95.0, .ns = 7.0}};
  EXPECT_THAT(NamesIn(render(report)),
              StartsWith(NamesIn(render(Report{})) + ",p95_ns,p95_ci95_low_ns,"));
}

TEST(Csv, SaysAtWhichRateAnObjectiveHolds) {
  Report report;
  report.results.resize(3);
  for (Result& result : report.results) result.message_bytes = 64;
  report.results[2].message_bytes = 128;
  report.slo = {{.message_bytes = 64, .percentile = 99.0, .most_ns = 5e4}};
  report.slo[0].highest_held_result = 1;
  const std::string csv = FindFormat("csv")->render(report);
  EXPECT_THAT(csv, ContainsRegex(",99,50000,false\n.*,99,50000,true\n.*,,,\n$"));
}

TEST(Csv, HasOneLineOfNamesWithoutResults) {
  const std::string csv = FindFormat("csv")->render(Report{});
  EXPECT_EQ(csv.find('\n'), csv.size() - 1);
}

}  // namespace
}  // namespace rdmabench::report
