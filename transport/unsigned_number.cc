#include "transport/unsigned_number.h"

#include <charconv>
#include <system_error>

namespace rdmabench {

std::optional<std::uint64_t> ParseUnsigned(std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value > most) return std::nullopt;
  return value;
}

}  // namespace rdmabench
