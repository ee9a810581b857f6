#include "cmd/test_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace rdmabench {

TestFolder::TestFolder() {
  std::string pattern = testing::TempDir() + "/folderXXXXXX";
  folder_ = mkdtemp(pattern.data());
}

TestFolder::~TestFolder() { std::filesystem::remove_all(folder_); }

std::string TestFolder::Read(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(folder_ / name).rdbuf();
  return text.str();
}

std::size_t TestFolder::Files() const {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                std::filesystem::directory_iterator()));
}

}  // namespace rdmabench
