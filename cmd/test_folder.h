// A folder of a test's own, to be a base of its fixture.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace rdmabench {

class TestFolder {
 protected:
  TestFolder();
  ~TestFolder();  // with all that is in it
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string Read(const std::string& name) const;  // of a file in it
  std::size_t Files() const;                        // how many there are

  std::filesystem::path folder_;
};

}  // namespace rdmabench
