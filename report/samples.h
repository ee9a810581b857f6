// The file that --samples asks for: single latency samples of one result after the other. Its forms
// are described in docs/method.md.
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

namespace rdmabench::report {

struct SampleBlock {
  std::uint64_t result = 0;  // index in Report::results
  std::uint64_t message_bytes = 0;
  std::uint64_t measured = 0;          // samples that there were
  std::vector<std::uint64_t> ns = {};  // those that were kept
};

struct SampleForm {
  std::string_view suffix;  // of the file's name
  std::string_view head;    // what the file begins with
  void (*write)(std::ostream& file, const SampleBlock& block);
};

// By the name of the file: CSV when it ends in .csv, else binary.
const SampleForm& SampleFormOf(std::string_view path);

}  // namespace rdmabench::report
