#include "transport/printable.h"

#include <cstdint>
#include <optional>

namespace rdmabench {
namespace {

constexpr std::string_view kEllipsis = "…";

struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;
};

// The first character of `text`, which is not empty; none when it is not well-formed UTF-8.
std::optional<CodePoint> FirstCodePoint(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return CodePoint{lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return std::nullopt;
  std::uint32_t value = lead & (0x7fU >> bytes);
  for (const char c : text.substr(1, bytes - 1)) {
    const auto next = static_cast<unsigned char>(c);
    if ((next & 0xc0U) != 0x80U) return std::nullopt;
    value = (value << 6U) | (next & 0x3fU);
  }
  const std::uint32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < least || value > 0x10ffff || surrogate) return std::nullopt;
  return CodePoint{value, bytes};
}

bool IsHarmful(std::uint32_t c) {
  const bool control = c < 0x20 || (c >= 0x7f && c <= 0x9f);
  const bool line_end = c == 0x2028 || c == 0x2029;
  const bool direction =
      c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return control || line_end || direction;
}

}  // namespace

std::string Printable(std::string_view text, std::size_t longest) {
  std::string shown;
  std::size_t cut = 0;  // where the text ends if it has to make room for the ellipsis
  while (!text.empty()) {
    const std::optional<CodePoint> c = FirstCodePoint(text);
    const std::size_t bytes = c ? c->bytes : 1;
    const bool space = text[0] == '\n' || text[0] == '\t' || text[0] == '\r';
    std::string_view next = text.substr(0, bytes);
    if (!c || IsHarmful(c->value)) next = space ? " " : "?";
    if (shown.size() + next.size() > longest) {
      shown.resize(cut);
      if (longest >= kEllipsis.size()) shown += kEllipsis;
      return shown;
    }
    shown += next;
    if (shown.size() + kEllipsis.size() <= longest) cut = shown.size();
    text.remove_prefix(bytes);
  }
  return shown;
}

}  // namespace rdmabench
