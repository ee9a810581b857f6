// Bytes as hexadecimal digits in lower case, two a byte.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rdmabench {

std::string ToHex(std::span<const unsigned char> bytes);

// True when the text is so many bytes in that form.
bool IsHex(std::string_view text, std::size_t bytes);

// What IsHex() has found to be `into.size()` bytes.
void FromHex(std::string_view text, std::span<unsigned char> into);

}  // namespace rdmabench
