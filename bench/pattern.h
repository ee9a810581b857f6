// What the messages of a verified run contain: bytes that both ends make from a message's number,
// other ones in each message of a session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/word.h"

namespace rdmabench {

// Names the messages that one side initiates over one queue pair, for one size.
struct PatternKey {
  std::uint64_t seed = 0;  // of the session
  std::uint64_t size_index = 0;
  std::uint32_t side = 0;
  std::uint32_t queue_pair = 0;
};

// Words of 8 bytes, little-endian. At the same place any two messages of a key differ, and so do
// any two words of a message, since each is made of the other by steps that can be undone.
class Pattern {
 public:
  static constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

  explicit Pattern(const PatternKey& key);

  std::uint64_t Word(std::uint64_t message, std::uint64_t index) const;
  // The number of the message that begins with this word. Any other word gives one of 64 random
  // bits, to which no run gets.
  std::uint64_t MessageOf(std::uint64_t first_word) const;

  void Fill(std::uint64_t message, std::span<std::byte> bytes) const;
  // The offset of the first byte that is not the message's; the size when there is none.
  std::size_t Mismatch(std::uint64_t message, std::span<const std::byte> bytes) const;
  // The same for a message of which packets may be missing, where kPoison still stands.
  std::size_t MismatchWithGaps(std::uint64_t message, std::span<const std::byte> bytes) const;

 private:
  std::uint64_t Base(std::uint64_t message) const;

  std::uint64_t key_;
};

// Stands where a message has to arrive.
inline constexpr std::byte kPoison{0xa5};
void Poison(std::span<std::byte> bytes);
bool IsPoison(std::span<const std::byte> bytes);

}  // namespace rdmabench
