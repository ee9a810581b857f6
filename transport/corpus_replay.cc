// Gives a fuzz target's entry each file of its corpus, in an ordinary build. The test's runfiles
// have no other corpus.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "transport/fuzz_entry.h"

namespace rdmabench {
namespace {

std::vector<std::string> CorpusFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(".")) {
    const std::string path = entry.path().string();
    const bool in_corpus = path.find("testdata/corpus/") != std::string::npos;
    if (in_corpus && entry.is_regular_file()) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

class CorpusTest : public testing::TestWithParam<std::string> {};

TEST_P(CorpusTest, MakesAnErrorOrNothing) {
  std::ifstream file(GetParam(), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  ASSERT_TRUE(file) << GetParam();
  // Not a byte beyond the input is there to be read.
  const std::string read = text.str();
  const std::vector<std::uint8_t> bytes(read.begin(), read.end());
  EXPECT_EQ(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()), 0);
}

std::string NameOf(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).filename();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

// Without any file this fails.
INSTANTIATE_TEST_SUITE_P(Files, CorpusTest, testing::ValuesIn(CorpusFiles()), NameOf);

}  // namespace
}  // namespace rdmabench
