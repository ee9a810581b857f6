// Whole runs with message memory that is not the usual one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include "bench/run_fixture.h"
#include "transport/memory_kind.h"

namespace rdmabench {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMessages = 3000;
constexpr std::uint64_t kWorkingSet = std::uint64_t{1} << 20;

class RunMemory : public RunFixture {
 protected:
  ~RunMemory() override { std::filesystem::remove(file_); }

  report::Result Measure(const Plan& plan) {
    const Ending ending = Run(plan);
    EXPECT_FALSE(ending.client) << ending.client->what();
    EXPECT_FALSE(ending.server) << ending.server->what();
    const bool has_one = ending.report.results.size() == 1 && ending.report.results[0].complete;
    EXPECT_TRUE(has_one);
    return has_one ? ending.report.results[0] : report::Result();
  }
  void MakeFile(std::size_t bytes) const {
    std::ofstream(file_, std::ios::binary) << std::string(bytes, 'x');
  }

  const std::string file_ = testing::TempDir() + "message_memory";
};

using AccessCase = std::tuple<const char*, const char*>;
class RunAccess : public RunMemory, public testing::WithParamInterface<AccessCase> {};

TEST_P(RunAccess, GoesThroughTheWorkingSetAndSaysSo) {
  const auto& [test, access] = GetParam();
  Plan plan = PlanOf(test, {512}, kMessages);
  plan.tests[0].queue.queue_pairs = 2;
  plan.tests[0].memory.access = access;
  const bool is_same = std::string_view(access) == "same";
  if (!is_same) plan.tests[0].memory.working_set_bytes = kWorkingSet;
  const report::Result result = Measure(plan);
  EXPECT_GE(result.messages, 2 * kMessages);
  EXPECT_EQ(result.effective.access, access);
  EXPECT_EQ(result.effective.working_set_bytes, 512 * result.effective.working_set_slots);
  if (is_same) {
    EXPECT_EQ(result.effective.working_set_slots, 2U);
  } else {
    // Rings have whole signalling groups.
    EXPECT_LE(result.effective.working_set_bytes, kWorkingSet);
    EXPECT_GE(result.effective.working_set_bytes, kWorkingSet / 100 * 98);
  }
}

INSTANTIATE_TEST_SUITE_P(Tests, RunAccess,
                         testing::Combine(testing::Values("write_bw", "read_bw", "send_bw",
                                                          "write_imm_bw"),
                                          testing::Values("sequential", "random", "same")),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param)) + "_" +
                                  std::get<1>(row.param);
                         });

TEST_F(RunMemory, GoesThroughAWorkingSetWithOneMessageUnderWay) {
  Plan plan = PlanOf("read_lat", {512}, kMessages);
  plan.tests[0].memory.access = "random";
  plan.tests[0].memory.working_set_bytes = kWorkingSet;
  const report::Result result = Measure(plan);
  EXPECT_EQ(result.effective.access, "random");
  EXPECT_EQ(result.effective.working_set_slots, kWorkingSet / 512);
}

// What arrives at the wrong place, or over another message, would be seen.
class RunPlaced : public RunMemory, public testing::WithParamInterface<const char*> {};

TEST_P(RunPlaced, MovesMessagesFromTheirPlaceToTheirPlace) {
  Plan plan = PlanOf(GetParam(), {24}, 500);
  plan.tests[0].run.verify = true;
  plan.tests[0].memory.align_bytes = 256;
  plan.tests[0].memory.offset_bytes = 8;
  const report::Result result = Measure(plan);
  ASSERT_TRUE(result.verification);
  EXPECT_GT(result.verification->checked_messages, 0U);
  EXPECT_EQ(result.verification->bad_messages, 0U);
}

INSTANTIATE_TEST_SUITE_P(Tests, RunPlaced,
                         testing::Values("write_bw", "read_bw", "send_bw", "write_lat", "send_lat",
                                         "read_lat"),
                         [](const auto& row) { return std::string(row.param); });

TEST_F(RunMemory, PollsMessagesAtPlannedTimesWhereTheyWereAskedToLie) {
  Plan plan = PlanOf("write_lat", {24}, 200);
  plan.tests[0].run.rate.messages_per_second = 20'000;
  plan.tests[0].memory.offset_bytes = 100;
  EXPECT_EQ(Measure(plan).messages, 200U);
}

TEST_F(RunMemory, HasAKeyForEachQueuePairWhereThatWasAsked) {
  Plan plan = PlanOf("write_bw", {64}, 500);
  plan.tests[0].queue.queue_pairs = 3;
  plan.tests[0].memory.mr_per_qp = true;
  const report::Result result = Measure(plan);
  EXPECT_GE(result.messages, 1500U);
  EXPECT_TRUE(result.effective.mr_per_qp);
  plan.tests[0].test = "send_bw";
  EXPECT_GE(Measure(plan).messages, 1500U);
}

TEST_F(RunMemory, SaysWhatItIsOnBothSides) {
  const report::Result result = Measure(PlanOf("write_bw", {64}, 500));
  ASSERT_TRUE(result.memory.client && result.memory.server);
  EXPECT_EQ(result.memory.client->kind, "host");
  EXPECT_EQ(result.memory.server->registration, "by its virtual address");
  EXPECT_TRUE(result.memory.server->page_bytes.has_value());
}

TEST_F(RunMemory, MayBeAFileOfOneSideWhoseWorkersHaveEachAPartOfIt) {
  MakeFile(2 * kFileAlignment);
  client_.memory_arguments["mmap"] = file_;
  Plan plan = PlanOf("write_bw", {64}, 500);
  plan.tests[0].memory.kind = "mmap";
  plan.tests[0].memory.remote_kind = "host";
  plan.tests[0].queue.queue_pairs = plan.tests[0].queue.threads = 2;
  plan.tests[0].run.verify = true;
  const report::Result result = Measure(plan);
  EXPECT_EQ(result.memory.client->kind, "mmap");
  EXPECT_EQ(result.memory.server->kind, "host");
  EXPECT_EQ(result.verification.value_or(report::Verification{.bad_messages = 1}).bad_messages, 0U);
}

TEST_F(RunMemory, IsNoFileThatTheServerWasNotTold) {
  MakeFile(kFileAlignment);
  client_.memory_arguments["mmap"] = file_;
  Plan plan = PlanOf("write_bw", {64}, 500);
  plan.tests[0].memory.kind = "mmap";
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client);
  EXPECT_THAT(ending.client->what(), HasSubstr("the server was not told which file"));
  EXPECT_THAT(ending.client->remedy(), HasSubstr("--memory mmap=FILE"));
}

TEST_F(RunMemory, IsNotOfAKindThatIsNotThere) {
  Plan plan = PlanOf("write_bw", {64}, 500);
  plan.tests[0].memory.kind = "odp";
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client);
  EXPECT_THAT(ending.client->what(), HasSubstr("odp is not available here: the device does not"));
}

}  // namespace
}  // namespace rdmabench
