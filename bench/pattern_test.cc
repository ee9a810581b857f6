#include "bench/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

namespace rdmabench {
namespace {

using Bytes = std::vector<std::byte>;

const Pattern& ThePattern() {
  static const Pattern pattern({.seed = 7, .size_index = 1, .side = 0, .queue_pair = 3});
  return pattern;
}

Bytes Message(std::uint64_t message, std::size_t bytes) {
  Bytes filled(bytes);
  ThePattern().Fill(message, filled);
  return filled;
}

TEST(Pattern, IsTheSameForTheSameKey) {
  const Pattern other({.seed = 7, .size_index = 1, .side = 0, .queue_pair = 3});
  EXPECT_EQ(other.Mismatch(5, Message(5, 1000)), 1000U);
}

TEST(Pattern, StandsInMemoryTheSameWayOnEveryMachine) {
  Bytes bytes(8);
  ThePattern().Fill(2, bytes);
  const std::uint64_t word = ThePattern().Word(2, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(std::to_integer<std::uint64_t>(bytes[i]), word >> (8 * i) & 0xff);
  }
}

TEST(Pattern, DiffersWithEveryPartOfItsKey) {
  std::set<std::uint64_t> words = {ThePattern().Word(0, 0)};
  for (const PatternKey& key : {PatternKey{8, 1, 0, 3}, PatternKey{7, 2, 0, 3},
                                PatternKey{7, 1, 1, 3}, PatternKey{7, 1, 0, 2}}) {
    EXPECT_TRUE(words.insert(Pattern(key).Word(0, 0)).second);
  }
}

TEST(Pattern, HasOtherWordsInEveryMessageAndPlace) {
  std::set<std::uint64_t> words;
  for (std::uint64_t message = 0; message < 100; ++message) {
    for (std::uint64_t index = 0; index < 100; ++index) {
      EXPECT_TRUE(words.insert(ThePattern().Word(message, index)).second);
    }
  }
}

// Half of all bits differ between neighbours, as between random words.
TEST(Pattern, LooksRandom) {
  std::uint64_t bits = 0;
  constexpr std::uint64_t kWords = 10'000;
  for (std::uint64_t i = 0; i < kWords; ++i) {
    bits += static_cast<std::uint64_t>(
        __builtin_popcountll(ThePattern().Word(i, 0) ^ ThePattern().Word(i, 1)));
  }
  EXPECT_NEAR(static_cast<double>(bits) / kWords, 32.0, 0.2);
}

TEST(Pattern, TellsAMessageByItsFirstWord) {
  for (const std::uint64_t message : {0ULL, 1ULL, 77ULL, 1ULL << 40}) {
    EXPECT_EQ(ThePattern().MessageOf(ThePattern().Word(message, 0)), message);
  }
  EXPECT_GT(ThePattern().MessageOf(ThePattern().Word(5, 0) ^ 1), std::uint64_t{1} << 32);
}

class PatternSize : public testing::TestWithParam<std::size_t> {};

TEST_P(PatternSize, IsFoundIntactAsItIs) {
  const Bytes bytes = Message(9, GetParam());
  EXPECT_EQ(ThePattern().Mismatch(9, bytes), bytes.size());
  EXPECT_EQ(ThePattern().MismatchWithGaps(9, bytes), bytes.size());
}

TEST_P(PatternSize, ShowsEveryFlippedBit) {
  Bytes bytes = Message(9, GetParam());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      bytes[at] ^= std::byte{1} << bit;
      ASSERT_EQ(ThePattern().Mismatch(9, bytes), at);
      // One byte may turn into poison, which is a gap.
      if (GetParam() > 1) {
        ASSERT_EQ(ThePattern().MismatchWithGaps(9, bytes), at);
      }
      bytes[at] ^= std::byte{1} << bit;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PatternSize,
                         testing::Values(1, 2, 7, 8, 9, 63, 64, 65, 511, 512, 513, 1100));

TEST(Pattern, ShowsAnotherMessageAtItsFirstWord) {
  for (std::uint64_t other = 0; other < 1000; ++other) {
    if (other == 500) continue;
    EXPECT_LT(ThePattern().Mismatch(500, Message(other, 64)), 8U);
  }
}

TEST(Pattern, MayHaveGapsOfWholeWords) {
  Bytes bytes = Message(4, 100);
  Poison(std::span(bytes).subspan(16, 48));
  EXPECT_EQ(ThePattern().Mismatch(4, bytes), 16U);
  EXPECT_EQ(ThePattern().MismatchWithGaps(4, bytes), bytes.size());
  Poison(std::span(bytes).subspan(96));
  EXPECT_EQ(ThePattern().MismatchWithGaps(4, bytes), bytes.size());
  bytes[70] ^= std::byte{1};
  EXPECT_EQ(ThePattern().MismatchWithGaps(4, bytes), 70U);
}

TEST(Pattern, IsNoPoison) {
  Bytes bytes(20);
  Poison(bytes);
  EXPECT_TRUE(IsPoison(bytes));
  bytes[19] = std::byte{0};
  EXPECT_FALSE(IsPoison(bytes));
}

}  // namespace
}  // namespace rdmabench
