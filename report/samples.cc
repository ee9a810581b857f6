#include "report/samples.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace rdmabench::report {
namespace {

// "RDMBLAT1" in the order of the file: what a block begins with, and the version of its form.
constexpr std::uint64_t kMark = 0x3154'414c'424d'4452;

void Put(std::ostream& file, std::uint64_t value) {
  std::array<char, sizeof value> bytes{};
  for (char& byte : bytes) {
    byte = static_cast<char>(value & 0xff);
    value >>= 8;
  }
  file.write(bytes.data(), bytes.size());
}

void WriteBinary(std::ostream& file, const SampleBlock& block) {
  for (const std::uint64_t field :
       {kMark, block.result, block.message_bytes, block.measured, std::uint64_t{block.ns.size()}}) {
    Put(file, field);
  }
  for (const std::uint64_t ns : block.ns) Put(file, ns);
}

void WriteCsv(std::ostream& file, const SampleBlock& block) {
  const std::string line =
      std::to_string(block.result) + "," + std::to_string(block.message_bytes) + ",";
  for (const std::uint64_t ns : block.ns) file << line << ns << '\n';
}

// The last one is for all names.
constexpr SampleForm kForms[] = {
    {".csv", "result,message_bytes,ns\n", WriteCsv},
    {"", "", WriteBinary},
};

}  // namespace

const SampleForm& SampleFormOf(std::string_view path) {
  return *std::find_if(std::begin(kForms), std::end(kForms),
                       [path](const SampleForm& form) { return path.ends_with(form.suffix); });
}

}  // namespace rdmabench::report
