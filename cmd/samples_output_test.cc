#include "cmd/samples_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cmd/test_folder.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::HasSubstr;

class SamplesOutputTest : public testing::Test, protected TestFolder {
 protected:
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
};

TEST_F(SamplesOutputTest, HasAllResultsInOneFile) {
  SamplesOutput output(Path("s.csv"));
  output.Write({.result = 0, .message_bytes = 2, .measured = 2, .ns = {10, 20}});
  EXPECT_EQ(Read("s.csv"), "result,message_bytes,ns\n0,2,10\n0,2,20\n") << "also if it is killed";
  output.Write({.result = 2, .message_bytes = 64, .measured = 1, .ns = {30}});
  output.Finish();
  EXPECT_EQ(Read("s.csv"), "result,message_bytes,ns\n0,2,10\n0,2,20\n2,64,30\n");
}

TEST_F(SamplesOutputTest, IsAFileOfItsFormAlsoWithoutAnySample) {
  SamplesOutput output(Path("s.csv"));
  output.Finish();
  EXPECT_EQ(Read("s.csv"), "result,message_bytes,ns\n");
}

TEST_F(SamplesOutputTest, LeavesWhatWasThereUntilThereIsABlock) {
  std::ofstream(folder_ / "s.bin") << "old";
  { const SamplesOutput output(Path("s.bin")); }
  EXPECT_EQ(Read("s.bin"), "old");
  EXPECT_EQ(Files(), 1U);
}

TEST_F(SamplesOutputTest, SaysBeforeTheRunThatItCannotWrite) {
  try {
    const SamplesOutput output(Path("no/such/folder/s.bin"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("cannot write the samples to '"));
    EXPECT_THAT(error.remedy(), HasSubstr("--samples"));
  }
}

TEST_F(SamplesOutputTest, SaysThatTheDeviceIsFull) {
  SamplesOutput output("/dev/full");
  EXPECT_THROW(
      {
        output.Write({.ns = std::vector<std::uint64_t>(100'000)});
        output.Finish();
      },
      Error);
}

}  // namespace
}  // namespace rdmabench
