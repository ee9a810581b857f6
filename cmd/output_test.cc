#include "cmd/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::HasSubstr;

class OutputTest : public testing::Test {
 protected:
  OutputTest() {
    std::string pattern = testing::TempDir() + "/outputXXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~OutputTest() override { std::filesystem::remove_all(folder_); }

  OutputOptions ToFile(const std::string& name) const {
    OutputOptions options;
    options.json_file = (folder_ / name).string();
    return options;
  }
  std::string Read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  std::size_t Files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                  std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder_;
};

TEST_F(OutputTest, LeavesOneWholeDocument) {
  {
    Output output(ToFile("r.json"));
    EXPECT_EQ(Files(), 1U) << "the file under way";
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
