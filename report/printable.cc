#include "report/printable.h"

#include <array>
#include <cstdio>

namespace rdmabench::report {
namespace {

struct Decoded {
  char32_t point = U'\uFFFD';
  std::size_t bytes = 1;
  bool well_formed = false;
};

struct LeadByte {
  unsigned char mask;
  unsigned char pattern;
  std::size_t bytes;
  char32_t smallest;  // a smaller code point in as many bytes is ill-formed
};

constexpr std::array kLeadBytes = {
    LeadByte{0x80, 0x00, 1, 0x0},
    LeadByte{0xe0, 0xc0, 2, 0x80},
    LeadByte{0xf0, 0xe0, 3, 0x800},
    LeadByte{0xf8, 0xf0, 4, 0x10000},
};

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

Decoded DecodeFirst(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  for (const LeadByte& lead : kLeadBytes) {
    if ((first & lead.mask) != lead.pattern) continue;
    if (text.size() < lead.bytes) return {};
    char32_t point = first & static_cast<unsigned char>(~lead.mask);
    for (const char byte : text.substr(1, lead.bytes - 1)) {
      if (!IsContinuation(byte)) return {};
      point = (point << 6) | (static_cast<unsigned char>(byte) & 0x3f);
    }
    const bool surrogate = point >= 0xd800 && point <= 0xdfff;
    if (point < lead.smallest || point > 0x10ffff || surrogate) return {};
    return {point, lead.bytes, true};
  }
  return {};
}

bool IsControl(char32_t point) {
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return true;
  if (point == 0x2028 || point == 0x2029) return true;  // line and paragraph separator
  // Marks, embeddings, overrides and isolates: they make a line read other than it is.
  return point == 0x200e || point == 0x200f || (point >= 0x202a && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069);
}

std::string Escape(char32_t point) {
  if (point == U'\n') return "\\n";
  if (point == U'\t') return "\\t";
  if (point == U'\r') return "\\r";
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), point < 0x80 ? "\\x%02x" : "\\u%04x",
                static_cast<unsigned>(point));
  return text.data();
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    const Decoded decoded = DecodeFirst(text);
    if (!decoded.well_formed) {
      printable += "\uFFFD";
    } else if (IsControl(decoded.point)) {
      printable += Escape(decoded.point);
    } else {
      printable += text.substr(0, decoded.bytes);
    }
    text.remove_prefix(decoded.bytes);
  }
  return printable;
}

std::size_t Columns(std::string_view printable) {
  std::size_t columns = 0;
  for (const char byte : printable) columns += IsContinuation(byte) ? 0 : 1;
  return columns;
}

}  // namespace rdmabench::report
