#include "bench/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace rdmabench {
namespace {

constexpr MessageId kId{.queue_pair = 2, .message = 10, .content = 10};

class AuditTest : public testing::Test {
 protected:
  AuditTest() { pattern_.Fill(kId.content, bytes_); }

  // What is said of the message as it is now.
  report::BadMessage Finding() {
    EXPECT_FALSE(audit_.Check(pattern_, kId, bytes_));
    EXPECT_EQ(audit_.account().checked_messages, 1U);
    EXPECT_EQ(audit_.account().bad_messages, 1U);
    return audit_.account().first_bad.value_or(report::BadMessage{});
  }

  Pattern pattern_{PatternKey{.seed = 1}};
  std::vector<std::byte> bytes_ = std::vector<std::byte>(100);
  Audit audit_;
};

TEST_F(AuditTest, CountsMessagesThatAreAsTheyWereSent) {
  EXPECT_TRUE(audit_.Check(pattern_, kId, bytes_));
  EXPECT_EQ(audit_.account().checked_messages, 1U);
  EXPECT_EQ(audit_.account().bad_messages, 0U);
  EXPECT_FALSE(audit_.account().first_bad);
}

TEST_F(AuditTest, NamesAFlippedBitWithWhatWasExpectedAndFound) {
  bytes_[50] ^= std::byte{4};
  const report::BadMessage bad = Finding();
  EXPECT_EQ(bad.finding, "bit_flipped");
  EXPECT_EQ(bad.queue_pair, 2U);
  EXPECT_EQ(bad.message, 10U);
  EXPECT_EQ(bad.offset_bytes, 50U);
  EXPECT_EQ(bad.expected_hex.size(), 16U);
  EXPECT_EQ(bad.expected_hex.substr(2), bad.found_hex.substr(2));
  EXPECT_NE(bad.expected_hex.substr(0, 2), bad.found_hex.substr(0, 2));
}

TEST_F(AuditTest, NamesWhatHasNotArrived) {
  Poison(bytes_);
  EXPECT_EQ(Finding().finding, "missing");
}

TEST_F(AuditTest, NamesWhatHasArrivedInPart) {
  Poison(std::span(bytes_).subspan(60));
  const report::BadMessage bad = Finding();
  EXPECT_EQ(bad.finding, "truncated");
  EXPECT_EQ(bad.offset_bytes, 60U);
}

TEST_F(AuditTest, NamesTheMessageThatStandsInItsPlace) {
  pattern_.Fill(13, bytes_);
  const report::BadMessage bad = Finding();
  EXPECT_EQ(bad.finding, "other_message");
  EXPECT_EQ(bad.found_message, 13U);
  EXPECT_LT(bad.offset_bytes, 8U);
}

TEST_F(AuditTest, NamesTheMessageWhoseEndIsLeft) {
  std::vector<std::byte> old(bytes_.size());
  pattern_.Fill(3, old);
  std::copy(old.begin() + 61, old.end(), bytes_.begin() + 61);
  const report::BadMessage bad = Finding();
  EXPECT_EQ(bad.finding, "other_message");
  EXPECT_EQ(bad.found_message, 3U);
  EXPECT_GE(bad.offset_bytes, 61U);
}

TEST_F(AuditTest, HasNoNameForOtherBytes) {
  bytes_[98] ^= std::byte{0xff};
  const report::BadMessage bad = Finding();
  EXPECT_EQ(bad.finding, "corrupted");
  EXPECT_EQ(bad.found_hex.size(), 4U) << "two bytes are left";
}

TEST_F(AuditTest, KeepsTheFirstOfTwo) {
  bytes_[20] ^= std::byte{1};
  audit_.Check(pattern_, kId, bytes_);
  bytes_[0] ^= std::byte{1};
  audit_.Check(pattern_, kId, bytes_);
  EXPECT_EQ(audit_.account().bad_messages, 2U);
  EXPECT_EQ(audit_.account().first_bad->offset_bytes, 20U);
}

TEST_F(AuditTest, CountsApartWhatMayBeMissing) {
  Poison(std::span(bytes_).subspan(64));
  EXPECT_FALSE(audit_.CheckWithGaps(pattern_, kId, bytes_));
  EXPECT_EQ(audit_.account().missing_messages, 1U);
  EXPECT_EQ(audit_.account().bad_messages, 0U);
  bytes_[5] ^= std::byte{1};
  EXPECT_TRUE(audit_.CheckWithGaps(pattern_, kId, bytes_));
  EXPECT_EQ(audit_.account().missing_messages, 1U);
  EXPECT_EQ(audit_.account().bad_messages, 1U);
  EXPECT_EQ(audit_.account().first_bad->offset_bytes, 5U);
}

TEST_F(AuditTest, TakesWhatIsMissingForBadWhereItWasToldOf) {
  Poison(bytes_);
  for (int i = 0; i < 3; ++i) audit_.CheckWithGaps(pattern_, kId, bytes_);
  audit_.Missing(kId, 2);
  EXPECT_EQ(audit_.account().missing_messages, 1U);
  EXPECT_EQ(audit_.account().bad_messages, 2U);
  EXPECT_EQ(audit_.account().checked_messages, 2U);
  EXPECT_EQ(audit_.account().first_bad->finding, "missing");
}

struct WordCase {
  std::uint64_t found;
  const char* finding;
};
class Word : public testing::TestWithParam<WordCase> {};

TEST_P(Word, IsNamedByItsDifference) {
  Audit audit;
  audit.CheckWord(kId, 1000, GetParam().found);
  EXPECT_EQ(audit.account().first_bad->finding, GetParam().finding);
}

INSTANTIATE_TEST_SUITE_P(Differences, Word,
                         testing::Values(WordCase{1001, "miscounted"}, WordCase{999, "miscounted"},
                                         WordCase{1000 + (1 << 20), "bit_flipped"},
                                         WordCase{0xa5a5a5a5a5a5a5a5, "missing"},
                                         WordCase{0x123456789abcdef0, "corrupted"}));

TEST_F(AuditTest, HoldsWordsAgainstEachOther) {
  audit_.CheckWord(kId, 5, 5);
  EXPECT_EQ(audit_.account().bad_messages, 0U);
  audit_.CheckWord(kId, 5, 6);
  EXPECT_EQ(audit_.account().checked_messages, 2U);
  EXPECT_EQ(audit_.account().bad_messages, 1U);
  EXPECT_EQ(audit_.account().first_bad->expected_hex, "0500000000000000");
  EXPECT_EQ(audit_.account().first_bad->found_hex, "0600000000000000");
}

TEST_F(AuditTest, SaysWhereAMessageOfAnotherLengthEnds) {
  audit_.WrongLength(kId, 100, 64);
  EXPECT_EQ(audit_.account().bad_messages, 1U);
  EXPECT_EQ(audit_.account().first_bad->offset_bytes, 64U);
  EXPECT_EQ(audit_.account().first_bad->finding, "truncated");
}

TEST_F(AuditTest, AddsUp) {
  audit_.Check(pattern_, kId, bytes_);
  Audit other;
  bytes_[9] ^= std::byte{1};
  other.Check(pattern_, kId, bytes_);
  audit_.Add(other);
  EXPECT_EQ(audit_.account().checked_messages, 2U);
  EXPECT_EQ(audit_.account().bad_messages, 1U);
  EXPECT_EQ(audit_.account().first_bad->offset_bytes, 9U);
}

}  // namespace
}  // namespace rdmabench
