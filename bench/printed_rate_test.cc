// In every mode, and in every format, the rate that is printed is the number of messages by the
// length of the window that are printed beside it.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bench/plan.h"
#include "bench/run_fixture.h"
#include "report/format.h"

namespace rdmabench {
namespace {

struct Mode {
  std::string name;
  std::string test;
  void (*set)(TestPlan& plan);
};

// What each format shows of a result.
struct Shown {
  double messages = 0.0;
  double seconds = 0.0;
  double messages_per_second = 0.0;
};

std::string Render(std::string_view format, const report::Report& report) {
  return report::FindFormat(format)->render(report);
}

Shown FromJson(const report::Report& report) {
  const nlohmann::json result = nlohmann::json::parse(Render("json", report))["results"][0];
  return {result["messages"], result["window_seconds"], result["bandwidth"]["messages_per_second"]};
}

std::vector<std::string> Split(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> fields;
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

Shown FromCsv(const report::Report& report) {
  std::istringstream csv(Render("csv", report));
  std::string names, values;
  std::getline(csv, names);
  std::getline(csv, values);
  const std::vector<std::string> columns = Split(names);
  const std::vector<std::string> fields = Split(values);
  const auto field = [&](std::string_view name) {
    const auto column = std::find(columns.begin(), columns.end(), name);
    return std::stod(fields.at(static_cast<std::size_t>(column - columns.begin())));
  };
  return {field("messages"), field("window_seconds"), field("messages_per_second")};
}

Shown FromText(const report::Report& report) {
  std::istringstream text(Render("text", report));
  std::string titles, values;
  while (std::getline(text, titles) && titles.find("M msg/s") == std::string::npos) {
  }
  std::getline(text, values);
  // Numbers end where their titles do.
  const auto cell = [&](const std::string& title) {
    const std::size_t end = titles.find(title) + title.size();
    const std::size_t begin = values.rfind(' ', end - 1) + 1;
    return std::stod(values.substr(begin, end - begin));
  };
  return {cell("messages"), cell("window s"), cell("M msg/s") * 1e6};
}

class PrintedRate : public RunFixture, public testing::WithParamInterface<Mode> {
 protected:
  report::Report Measure() {
    Plan plan = PlanOf(GetParam().test, {64}, 3000);
    GetParam().set(plan.tests[0]);
    Ending ending = Run(plan);
    EXPECT_FALSE(ending.client) << ending.client->what();
    EXPECT_EQ(ending.report.results.size(), 1U);
    return std::move(ending.report);
  }
};

TEST_P(PrintedRate, IsMessagesByTheWindow) {
  const report::Report report = Measure();
  const report::Result& result = report.results.at(0);
  ASSERT_TRUE(result.bandwidth);
  EXPECT_GT(result.messages, 0U);
  EXPECT_EQ(result.bytes, result.messages * result.message_bytes);
  EXPECT_DOUBLE_EQ(result.bandwidth->bytes_per_second,
                   static_cast<double>(result.bytes) / result.window_seconds);
  for (const Shown& shown : {FromJson(report), FromCsv(report)}) {
    EXPECT_EQ(shown.messages, static_cast<double>(result.messages));
    EXPECT_DOUBLE_EQ(shown.messages_per_second, shown.messages / shown.seconds);
  }
  // Three decimals of a second, six of a million a second.
  const Shown text = FromText(report);
  EXPECT_EQ(text.messages, static_cast<double>(result.messages));
  EXPECT_NEAR(text.seconds, result.window_seconds, 0.0005001);
  EXPECT_NEAR(text.messages_per_second, text.messages / result.window_seconds, 0.5001);
}

void ByDuration(TestPlan& plan) {
  plan.run.iterations.reset();
  plan.run.duration_ms = 100;
}
void Bidirectional(TestPlan& plan) { plan.queue.bidirectional = true; }
void OverUc(TestPlan& plan) { plan.queue.qp_type = "uc"; }
void OverUd(TestPlan& plan) { plan.queue.qp_type = "ud"; }
void Reversed(TestPlan& plan) { plan.queue.reversed = true; }
void Paced(TestPlan& plan) { plan.run.rate.messages_per_second = 100'000; }
void SeveralThreads(TestPlan& plan) {
  plan.queue.queue_pairs = 4;
  plan.queue.threads = 2;
}
void BothByDuration(TestPlan& plan) {
  ByDuration(plan);
  Bidirectional(plan);
}

INSTANTIATE_TEST_SUITE_P(Modes, PrintedRate,
                         testing::Values(Mode{"Iterations", "write_bw", [](TestPlan&) {}},
                                         Mode{"Duration", "write_bw", ByDuration},
                                         Mode{"Read", "read_bw", [](TestPlan&) {}},
                                         Mode{"Send", "send_bw", [](TestPlan&) {}},
                                         Mode{"SendUc", "send_bw", OverUc},
                                         Mode{"SendUd", "send_bw", OverUd},
                                         Mode{"WriteImm", "write_imm_bw", ByDuration},
                                         Mode{"Reversed", "write_bw", Reversed},
                                         Mode{"WriteBoth", "write_bw", Bidirectional},
                                         Mode{"SendBothByDuration", "send_bw", BothByDuration},
                                         Mode{"Paced", "write_bw", Paced},
                                         Mode{"SeveralThreads", "read_bw", SeveralThreads}),
                         [](const auto& mode) { return mode.param.name; });

}  // namespace
}  // namespace rdmabench
