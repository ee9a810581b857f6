#include "transport/hex.h"

#include <cassert>

namespace rdmabench {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string ToHex(std::span<const unsigned char> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xfU];
  }
  return text;
}

bool IsHex(std::string_view text, std::size_t bytes) {
  return text.size() == 2 * bytes && text.find_first_not_of(kDigits) == std::string_view::npos;
}

void FromHex(std::string_view text, std::span<unsigned char> into) {
  assert(IsHex(text, into.size()));
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] =
        static_cast<unsigned char>(kDigits.find(text[2 * i]) << 4U | kDigits.find(text[2 * i + 1]));
  }
}

}  // namespace rdmabench
