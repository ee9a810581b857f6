// What libFuzzer asks for the next input of a target that reads JSON. A quarter is changed as
// bytes, so that the parser has its share, and so is whatever is no document any more, or a deep
// one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

#include "transport/json_mutator.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestText = 256;

json Parse(const std::uint8_t* data, std::size_t size) {
  return ParseToMutate({reinterpret_cast<const char*>(data), size});
}

void MutateText(std::string& text) {
  const std::size_t size = std::min(text.size(), kLongestText);
  text.resize(kLongestText);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, kLongestText));
}

// Of bytes that are no UTF-8, stand-ins are written. Returns 0 for what does not fit.
std::size_t Write(const json& document, std::uint8_t* out, std::size_t max_size) {
  const std::string text = document.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > max_size) return 0;
  std::memcpy(out, text.data(), text.size());
  return text.size();
}

}  // namespace
}  // namespace rdmabench

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  using namespace rdmabench;
  std::minstd_rand random(seed);
  json document = Parse(data, size);
  if (document.is_discarded() || random() % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  MutateJson(document, random, MutateText);
  const std::size_t written = Write(document, data, max_size);
  return written > 0 ? written : LLVMFuzzerMutate(data, size, max_size);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data, std::size_t size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* out, std::size_t max_size,
                                                 unsigned seed) {
  using namespace rdmabench;
  json document = Parse(data, size);
  const json donor = Parse(other, other_size);
  if (document.is_discarded() || donor.is_discarded()) return 0;
  std::minstd_rand random(seed);
  CrossJson(document, donor, random);
  return Write(document, out, max_size);
}
