#include "report/samples.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace rdmabench::report {
namespace {

std::string Written(std::string_view path, const SampleBlock& block) {
  std::ostringstream file;
  const SampleForm& form = SampleFormOf(path);
  file << form.head;
  form.write(file, block);
  form.write(file, block);
  return file.str();
}

const SampleBlock kBlock{.result = 1, .message_bytes = 64, .measured = 5, .ns = {0x0102, 7}};

std::string Words(const std::vector<std::uint64_t>& values) {
  std::string bytes;
  for (std::uint64_t value : values) {
    for (int i = 0; i < 8; ++i, value /= 256) bytes += static_cast<char>(value % 256);
  }
  return bytes;
}

TEST(Samples, AreBlocksOfLittleEndianWordsAfterFiveThatSayWhatTheyAre) {
  const std::string block = "RDMBLAT1" + Words({1, 64, 5, 2, 0x0102, 7});
  EXPECT_EQ(Written("samples.bin", kBlock), block + block);
  EXPECT_EQ(Written("csv", kBlock), block + block);
}

TEST(Samples, AreLinesInAFileThatEndsInCsv) {
  EXPECT_EQ(Written("x/samples.csv", kBlock),
            "result,message_bytes,ns\n1,64,258\n1,64,7\n1,64,258\n1,64,7\n");
}

TEST(Samples, MayBeNone) {
  EXPECT_EQ(Written("a.csv", {}), "result,message_bytes,ns\n");
  EXPECT_EQ(Written("a", {}).size(), 2 * 40U);
}

}  // namespace
}  // namespace rdmabench::report
