#include "report/golden_file.h"

#include <errno.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace rdmabench {
namespace {

constexpr const char* kUpdateVariable = "RDMABENCH_UPDATE_GOLDEN";

}  // namespace

void ExpectGolden(const std::string& rendered, const std::string& path) {
  if (const char* tree = std::getenv(kUpdateVariable)) {
    std::ofstream(std::string(tree) + "/" + path) << rendered;
    return;
  }
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(rendered, golden.str()) << path << "; if that is what you want: " << kUpdateVariable
                                    << "=$PWD, and bazel-bin's " << program_invocation_short_name;
}

}  // namespace rdmabench
