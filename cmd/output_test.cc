#include "cmd/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "cmd/test_folder.h"
#include "cmd/write_pace.h"
#include "transport/deadline.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::HasSubstr;

class OutputTest : public testing::Test, protected TestFolder {
 protected:
  OutputOptions ToFile(const std::string& name) const {
    OutputOptions options;
    options.json_file = (folder_ / name).string();
    return options;
  }
};

TEST_F(OutputTest, LeavesOneWholeDocument) {
  {
    Output output(ToFile("r.json"));
    EXPECT_EQ(Files(), 0U) << "nothing stands there before it is whole";
    output.Write({});
  }
  EXPECT_THAT(Read("r.json"), HasSubstr("\"schema_version\""));
  EXPECT_EQ(Files(), 1U);
}

TEST_F(OutputTest, KeepsTheOldDocumentUntilTheNewOneIsWhole) {
  std::ofstream(folder_ / "r.json") << "old";
  { const Output output(ToFile("r.json")); }
  EXPECT_EQ(Read("r.json"), "old");
  EXPECT_EQ(Files(), 1U) << "the unfinished file goes";
}

report::Report Running() { return {.status = report::Status::kRunning}; }

TEST_F(OutputTest, HasTheReportSoFarWhileTheRunGoesOn) {
  std::ofstream(folder_ / "r.json") << "old";
  Output output(ToFile("r.json"));
  EXPECT_FALSE(output.Update(Running()));
  EXPECT_THAT(Read("r.json"), HasSubstr(R"("status": "running")"));
  EXPECT_FALSE(output.Update(Running()));
  EXPECT_EQ(Files(), 1U) << "also a program that is killed leaves this one file";
  output.Write({});
  EXPECT_THAT(Read("r.json"), HasSubstr(R"("status": "complete")"));
  EXPECT_EQ(Files(), 1U);
}

TEST_F(OutputTest, WritesADeviceOnceOnly) {
  OutputOptions options;
  options.json_file = "/dev/full";
  Output output(options);
  EXPECT_FALSE(output.Update(Running()));
  EXPECT_THROW(output.Write({}), Error) << "it says that it is full";
}

TEST_F(OutputTest, SaysOnceThatItCannotWriteTheReportSoFarAndGoesOn) {
  std::filesystem::create_directory(folder_ / "sub");
  Output output(ToFile("sub/r.json"));
  std::filesystem::remove(folder_ / "sub");
  const std::optional<Error> first = output.Update(Running());
  ASSERT_TRUE(first);
  EXPECT_THAT(first->what(), HasSubstr("cannot write the report to '"));
  EXPECT_FALSE(output.Update(Running())) << "once is enough";
  std::filesystem::create_directory(folder_ / "sub");
  output.Write({});
  EXPECT_THAT(Read("sub/r.json"), HasSubstr(R"("status": "complete")"));
}

TEST(WritePace, LetsSlowWritesWait) {
  const Deadline start = Now();
  WritePace pace;
  EXPECT_TRUE(pace.MayWrite(start));
  const Deadline quick = start + std::chrono::milliseconds(50);
  pace.Wrote(start, quick);
  EXPECT_TRUE(pace.MayWrite(quick));
  const Deadline slow = quick + std::chrono::seconds(1);
  pace.Wrote(quick, slow);
  EXPECT_FALSE(pace.MayWrite(slow + std::chrono::seconds(19)));
  EXPECT_TRUE(pace.MayWrite(slow + std::chrono::seconds(20)));
}

TEST_F(OutputTest, SaysBeforeTheRunThatItCannotWrite) {
  for (const char* name : {"no/such/folder/r.json", "."}) {
    try {
      const Output output(ToFile(name));
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::kEnvironment);
      EXPECT_THAT(error.what(), HasSubstr(name));
    }
  }
}

TEST_F(OutputTest, SaysSoForANameThatNoFileSystemTakes) {
  EXPECT_THROW(Output(ToFile(std::string(5000, 'x'))), Error);
}

}  // namespace
}  // namespace rdmabench
