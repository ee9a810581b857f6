#include "bench/pattern.h"

#include <algorithm>
#include <cstring>

#include "bench/split_mix.h"

namespace rdmabench {
namespace {

using split_mix::kFirst;
using split_mix::kIncrement;
using split_mix::kSecond;
using split_mix::Mix;

// The inverse of an odd number modulo 2^64, by Newton's iteration: the digits that are right
// double.
constexpr std::uint64_t InverseOf(std::uint64_t odd) {
  std::uint64_t inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}
static_assert(kFirst * InverseOf(kFirst) == 1 && kIncrement * InverseOf(kIncrement) == 1);

constexpr std::uint64_t Unshift(std::uint64_t mixed, int shift) {
  std::uint64_t value = mixed;
  for (int known = shift; known < 64; known += shift) value = mixed ^ (value >> shift);
  return value;
}

constexpr std::uint64_t Unmix(std::uint64_t mixed) {
  std::uint64_t value = Unshift(mixed, 31) * InverseOf(kSecond);
  value = Unshift(value, 27) * InverseOf(kFirst);
  return Unshift(value, 30);
}
static_assert(Unmix(Mix(0x0123456789abcdef)) == 0x0123456789abcdef);

// Within a message less will do: one multiplication a word, and no word needs the one before, so
// that compilers make vectors of it.
constexpr std::uint64_t Spread(std::uint64_t base, std::uint64_t index) {
  const std::uint64_t value = (base + index * kIncrement) * kFirst;
  return value ^ (value >> 32);
}
constexpr std::uint64_t Unspread(std::uint64_t word) {
  return Unshift(word, 32) * InverseOf(kFirst);
}
static_assert(Unspread(Spread(0x0123456789abcdef, 0)) == 0x0123456789abcdef);

// What stands in a word of which a message has the first `bytes` only.
std::uint64_t LoadPart(const std::byte* from, std::size_t bytes, std::uint64_t rest) {
  std::byte word[Pattern::kWordBytes];
  StoreWord(word, rest);
  std::memcpy(word, from, bytes);
  return LoadWord(word);
}

std::size_t FirstByteOf(std::uint64_t difference) {
  return static_cast<std::size_t>(__builtin_ctzll(difference)) / 8;
}

constexpr std::uint64_t kPoisonWord = 0x0101010101010101 * std::to_integer<std::uint64_t>(kPoison);

}  // namespace

Pattern::Pattern(const PatternKey& key)
    : key_(Mix(Mix(Mix(key.seed + kIncrement) + key.size_index) +
               ((std::uint64_t{key.side} << 32) | key.queue_pair))) {}

std::uint64_t Pattern::Base(std::uint64_t message) const {
  return Mix(key_ + message * kIncrement);
}

std::uint64_t Pattern::Word(std::uint64_t message, std::uint64_t index) const {
  return Spread(Base(message), index);
}

std::uint64_t Pattern::MessageOf(std::uint64_t first_word) const {
  return (Unmix(Unspread(first_word)) - key_) * InverseOf(kIncrement);
}

void Pattern::Fill(std::uint64_t message, std::span<std::byte> bytes) const {
  const std::uint64_t base = Base(message);
  const std::size_t words = bytes.size() / kWordBytes;
  std::byte* const to = bytes.data();
  for (std::size_t i = 0; i < words; ++i) StoreWord(to + i * kWordBytes, Spread(base, i));
  std::byte last[kWordBytes];
  StoreWord(last, Spread(base, words));
  std::memcpy(to + words * kWordBytes, last, bytes.size() % kWordBytes);
}

std::size_t Pattern::Mismatch(std::uint64_t message, std::span<const std::byte> bytes) const {
  constexpr std::size_t kBlock = 64;  // words that are compared before anybody looks
  const std::uint64_t base = Base(message);
  const std::size_t words = bytes.size() / kWordBytes;
  const std::byte* const from = bytes.data();
  for (std::size_t first = 0; first < words; first += kBlock) {
    const std::size_t end = std::min(first + kBlock, words);
    std::uint64_t differences = 0;
    for (std::size_t i = first; i < end; ++i) {
      differences |= LoadWord(from + i * kWordBytes) ^ Spread(base, i);
    }
    if (differences == 0) [[likely]]
      continue;
    for (std::size_t i = first;; ++i) {
      const std::uint64_t difference = LoadWord(from + i * kWordBytes) ^ Spread(base, i);
      if (difference != 0) return i * kWordBytes + FirstByteOf(difference);
    }
  }
  const std::uint64_t expected = Spread(base, words);
  const std::uint64_t difference =
      LoadPart(from + words * kWordBytes, bytes.size() % kWordBytes, expected) ^ expected;
  return difference == 0 ? bytes.size() : words * kWordBytes + FirstByteOf(difference);
}

std::size_t Pattern::MismatchWithGaps(std::uint64_t message,
                                      std::span<const std::byte> bytes) const {
  const std::uint64_t base = Base(message);
  for (std::size_t offset = 0; offset < bytes.size(); offset += kWordBytes) {
    const std::size_t length = std::min(kWordBytes, bytes.size() - offset);
    const std::uint64_t expected = Spread(base, offset / kWordBytes);
    const std::uint64_t difference = LoadPart(&bytes[offset], length, expected) ^ expected;
    if (difference != 0 && LoadPart(&bytes[offset], length, kPoisonWord) != kPoisonWord) {
      return offset + FirstByteOf(difference);
    }
  }
  return bytes.size();
}

void Poison(std::span<std::byte> bytes) { std::fill(bytes.begin(), bytes.end(), kPoison); }

bool IsPoison(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == kPoison; });
}

}  // namespace rdmabench
