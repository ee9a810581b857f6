#include "bench/audit.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

namespace rdmabench {
namespace {

// Among so many messages before and after it one is sought that could stand in its place.
constexpr std::uint64_t kNeighbours = 4096;

std::string Hex(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::string HexOf(std::uint64_t word) {
  std::byte bytes[Pattern::kWordBytes];
  StoreWord(bytes, word);
  return Hex(bytes);
}

int BitsBetween(std::span<const std::byte> one, std::span<const std::byte> other) {
  int bits = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    bits += std::popcount(std::to_integer<unsigned>(one[i] ^ other[i]));
  }
  return bits;
}

// The message whose content stands from `offset` on to the end, the nearest if there are several.
// Of less than a word too many could.
std::optional<std::uint64_t> FindMessage(const Pattern& pattern, std::uint64_t expected,
                                         std::span<const std::byte> found, std::size_t offset) {
  const std::size_t index = (offset + Pattern::kWordBytes - 1) / Pattern::kWordBytes;
  if ((index + 1) * Pattern::kWordBytes > found.size()) return std::nullopt;
  const std::uint64_t word = LoadWord(&found[index * Pattern::kWordBytes]);
  std::vector<std::byte> other(found.size());
  const auto is = [&](std::uint64_t message) {
    if (pattern.Word(message, index) != word) return false;
    pattern.Fill(message, other);
    return std::equal(found.begin() + static_cast<std::ptrdiff_t>(offset), found.end(),
                      other.begin() + static_cast<std::ptrdiff_t>(offset));
  };
  for (std::uint64_t apart = 1; apart <= kNeighbours; ++apart) {
    if (apart <= expected && is(expected - apart)) return expected - apart;
    if (is(expected + apart)) return expected + apart;
  }
  return std::nullopt;
}

}  // namespace

bool Audit::Check(const Pattern& pattern, const MessageId& id, std::span<const std::byte> found) {
  ++account_.checked_messages;
  const std::size_t offset = pattern.Mismatch(id.content, found);
  if (offset == found.size()) [[likely]]
    return true;
  Blame(pattern, id, found, offset);
  return false;
}

bool Audit::CheckWithGaps(const Pattern& pattern, const MessageId& id,
                          std::span<const std::byte> found) {
  if (pattern.Mismatch(id.content, found) == found.size()) [[likely]] {
    ++account_.checked_messages;
    return true;
  }
  const std::size_t offset = pattern.MismatchWithGaps(id.content, found);
  if (offset == found.size()) {
    ++account_.missing_messages;
    return false;
  }
  ++account_.checked_messages;
  Blame(pattern, id, found, offset);
  return true;
}

void Audit::CheckWord(const MessageId& id, std::uint64_t expected, std::uint64_t found) {
  ++account_.checked_messages;
  if (found == expected) [[likely]]
    return;
  std::byte bytes[Pattern::kWordBytes];
  StoreWord(bytes, found);
  std::string finding = "corrupted";
  if (IsPoison(bytes)) {
    finding = "missing";
  } else if (found - expected + kNeighbours <= 2 * kNeighbours) {
    finding = "miscounted";
  } else if (std::popcount(expected ^ found) == 1) {
    finding = "bit_flipped";
  }
  Note({.queue_pair = id.queue_pair,
        .message = id.message,
        .expected_hex = HexOf(expected),
        .found_hex = HexOf(found),
        .finding = std::move(finding)});
}

void Audit::WrongLength(const MessageId& id, std::uint64_t expected, std::uint64_t found) {
  ++account_.checked_messages;
  Note({.queue_pair = id.queue_pair,
        .message = id.message,
        .offset_bytes = std::min(expected, found),
        .finding = found < expected ? "truncated" : "corrupted"});
}

void Audit::Missing(const MessageId& id, std::uint64_t messages) {
  account_.checked_messages += messages;
  account_.missing_messages -= messages;
  account_.bad_messages += messages - 1;
  Note({.queue_pair = id.queue_pair, .message = id.message, .finding = "missing"});
}

void Audit::Blame(const Pattern& pattern, const MessageId& id, std::span<const std::byte> found,
                  std::size_t offset) {
  // Only the first one is looked into.
  if (account_.first_bad) {
    ++account_.bad_messages;
    return;
  }
  std::vector<std::byte> expected(found.size());
  pattern.Fill(id.content, expected);
  const std::size_t shown = std::min(Pattern::kWordBytes, found.size() - offset);
  report::BadMessage bad{.queue_pair = id.queue_pair,
                         .message = id.message,
                         .offset_bytes = offset,
                         .expected_hex = Hex(std::span(expected).subspan(offset, shown)),
                         .found_hex = Hex(found.subspan(offset, shown)),
                         .finding = "corrupted"};
  if (IsPoison(found.subspan(offset))) {
    bad.finding = offset == 0 ? "missing" : "truncated";
  } else if (BitsBetween(expected, found) == 1) {
    bad.finding = "bit_flipped";
  } else if ((bad.found_message = FindMessage(pattern, id.content, found, offset))) {
    bad.finding = "other_message";
  }
  Note(std::move(bad));
}

void Audit::Note(report::BadMessage bad) {
  ++account_.bad_messages;
  if (!account_.first_bad) account_.first_bad = std::move(bad);
}

}  // namespace rdmabench
