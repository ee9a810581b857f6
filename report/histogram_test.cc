#include "report/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

namespace rdmabench::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kBeyond = std::uint64_t{1} << 48;  // counts as the largest value

// Values of every magnitude below `limit`, evenly over the logarithm.
class Values {
 public:
  explicit Values(std::uint64_t limit) : exponent_(0.0, std::log2(static_cast<double>(limit))) {}
  std::uint64_t operator()() { return static_cast<std::uint64_t>(std::exp2(exponent_(random_))); }

 private:
  std::mt19937_64 random_{7};
  std::uniform_real_distribution<double> exponent_;
};

Histogram Of(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.Record(value);
  return histogram;
}

std::vector<std::uint64_t> Many(std::size_t count, std::uint64_t limit) {
  std::vector<std::uint64_t> values(count);
  std::generate(values.begin(), values.end(), Values(limit));
  return values;
}

// What a bucket may be off by.
double Allowed(std::uint64_t value) { return static_cast<double>(value) / 1024.0; }

void ExpectBucketHolds(std::uint64_t value) {
  const std::vector<Histogram::Entry> entries = Of({value}).Entries();
  ASSERT_THAT(entries, SizeIs(1));
  const std::uint64_t first = Histogram::First(entries[0].first);
  const std::uint64_t last = Histogram::Last(entries[0].first);
  ASSERT_LE(first, value);
  ASSERT_GE(last, value);
  ASSERT_LE(static_cast<double>(last - first), Allowed(first)) << value;
}

TEST(Histogram, PutsEveryValueIntoABucketOfAThousandthOfIt) {
  Values values(kBeyond);
  for (int i = 0; i < 500; ++i) ExpectBucketHolds(values());
}

TEST(Histogram, PutsValuesAtPowersOfTwoIntoTheRightBuckets) {
  for (unsigned bits = 0; bits < 48; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    for (const std::uint64_t value : {power - 1, power, power + 1}) ExpectBucketHolds(value);
  }
}

TEST(Histogram, HasBucketsThatFollowEachOtherWithoutAGap) {
  const std::uint32_t last = Of({kBeyond - 1}).Entries()[0].first;
  EXPECT_EQ(Histogram::First(0), 0U);
  for (std::uint32_t i = 0; i < last; ++i) {
    ASSERT_EQ(Histogram::Last(i) + 1, Histogram::First(i + 1));
    ASSERT_LE(Histogram::First(i), Histogram::Last(i));
  }
  EXPECT_EQ(Histogram::Last(last), kBeyond - 1);
}

TEST(Histogram, KeepsSmallValuesExactly) {
  const Histogram histogram = Of({0, 1, 2047, 2047});
  EXPECT_THAT(histogram.Entries(), ElementsAre(Histogram::Entry{0, 1}, Histogram::Entry{1, 1},
                                               Histogram::Entry{2047, 2}));
}

TEST(Histogram, KnowsCountSumAndExtremesExactly) {
  const std::vector<std::uint64_t> values = Many(10'000, kBeyond);
  const Histogram histogram = Of(values);
  EXPECT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.sum(), std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
  EXPECT_EQ(histogram.min(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(histogram.max(), *std::max_element(values.begin(), values.end()));
}

TEST(Histogram, CountsWhatIsBeyondItsRangeAsTheLargest) {
  const Histogram histogram = Of({kBeyond, kBeyond << 10, kBeyond - 1});
  EXPECT_THAT(histogram.Entries(), SizeIs(1));
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(histogram.max(), kBeyond << 10);
  EXPECT_LE(histogram.Quantile(1.0), histogram.max());
}

class Quantiles : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Quantiles, AgreeWithTheNearestRankOfAllSamplesSorted) {
  std::vector<std::uint64_t> values = Many(GetParam(), 1'000'000'000);
  const Histogram histogram = Of(values);
  std::sort(values.begin(), values.end());
  for (const double share : {0.0, 0.001, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank = static_cast<std::size_t>(
        std::max(std::ceil(share * static_cast<double>(values.size())), 1.0));
    const std::uint64_t exact = values[rank - 1];
    EXPECT_NEAR(static_cast<double>(histogram.Quantile(share)), static_cast<double>(exact),
                Allowed(exact))
        << share;
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, Quantiles,
                         ::testing::Values(1, 2, 3, 10, 99, 100, 101, 1000, 100'000));

TEST(Histogram, HasNoQuantileBeyondItsExtremes) {
  const Histogram histogram = Of({1'000'001, 1'000'002});
  EXPECT_GE(histogram.Quantile(0.0), 1'000'001U);
  EXPECT_LE(histogram.Quantile(1.0), 1'000'002U);
}

TEST(Histogram, HasTheDeviationOfItsSamples) {
  const std::vector<std::uint64_t> values = Many(10'000, 1'000'000);
  const double mean = static_cast<double>(Of(values).sum()) / static_cast<double>(values.size());
  double squares = 0.0;
  for (const std::uint64_t value : values) {
    squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  }
  const double exact = std::sqrt(squares / static_cast<double>(values.size() - 1));
  EXPECT_NEAR(Of(values).Deviation(), exact, exact / 1000);
  EXPECT_EQ(Of({5}).Deviation(), 0.0);
  EXPECT_EQ(Histogram().Deviation(), 0.0);
}

TEST(Histogram, AddsUpToWhatOneWouldHaveRecorded) {
  const std::vector<std::uint64_t> values = Many(1000, kBeyond);
  Histogram sum;
  Histogram parts[3];
  for (std::size_t i = 0; i < values.size(); ++i) parts[i % 3].Record(values[i]);
  for (const Histogram& part : parts) sum.Add(part);
  const Histogram whole = Of(values);
  EXPECT_EQ(sum.Entries(), whole.Entries());
  EXPECT_EQ(sum.sum(), whole.sum());
  EXPECT_EQ(sum.min(), whole.min());
  EXPECT_EQ(sum.max(), whole.max());
}

TEST(Histogram, IsUnchangedByAnEmptyOne) {
  Histogram histogram = Of({7, 9});
  histogram.Add(Histogram());
  EXPECT_EQ(histogram.min(), 7U);
  EXPECT_EQ(histogram.max(), 9U);
  EXPECT_EQ(histogram.count(), 2U);
}

TEST(Histogram, KnowsWhatCameSinceASnapshot) {
  Histogram histogram = Of({5, 1'000'000});
  const Histogram before = histogram.Snapshot();
  histogram.Record(100);
  histogram.Record(50'000);
  const Histogram since = histogram.Since(before);
  EXPECT_EQ(since.count(), 2U);
  EXPECT_EQ(since.sum(), 50'100U);
  EXPECT_EQ(since.min(), 100U);
  EXPECT_NEAR(static_cast<double>(since.max()), 50'000.0, Allowed(50'000));
  EXPECT_EQ(before.count(), 2U);
}

TEST(Histogram, KnowsThatNothingCameSinceASnapshot) {
  const Histogram histogram = Of({5, 6});
  EXPECT_EQ(histogram.Since(histogram.Snapshot()).count(), 0U);
}

TEST(Histogram, CanBeReadWhileItIsWritten) {
  constexpr std::uint64_t kSamples = 20'000;
  Histogram histogram;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= kSamples; ++i) histogram.Record(i);
    done = true;
  });
  std::uint64_t seen = 0;
  while (!done) {
    const Histogram snapshot = histogram.Snapshot();
    EXPECT_GE(snapshot.count(), seen);
    EXPECT_LE(snapshot.Quantile(0.5), kSamples);
    seen = snapshot.count();
  }
  writer.join();
  EXPECT_EQ(histogram.Snapshot().count(), kSamples);
}

TEST(Histogram, ComesBackFromItsEntries) {
  const Histogram histogram = Of(Many(1000, kBeyond));
  Histogram back = Of({1});
  ASSERT_TRUE(Histogram::FromEntries(histogram.Entries(), histogram.sum(), histogram.min(),
                                     histogram.max(), back));
  EXPECT_EQ(back.Entries(), histogram.Entries());
  EXPECT_EQ(back.sum(), histogram.sum());
  EXPECT_EQ(back.min(), histogram.min());
  EXPECT_EQ(back.max(), histogram.max());
}

TEST(Histogram, ComesBackEmptyFromNone) {
  const Histogram none;
  Histogram back = Of({1});
  ASSERT_TRUE(Histogram::FromEntries({}, none.sum(), none.min(), none.max(), back));
  EXPECT_EQ(back.count(), 0U);
  EXPECT_THAT(back.Entries(), IsEmpty());
}

TEST(Histogram, IsNotMadeOfABucketThatThereIsNot) {
  const std::uint32_t last = Of({kBeyond}).Entries()[0].first;
  Histogram into;
  const std::vector<Histogram::Entry> good = {{last, 1}};
  EXPECT_TRUE(Histogram::FromEntries(good, 1, 1, 1, into));
  for (const std::uint32_t bucket : {last + 1, ~0U}) {
    const std::vector<Histogram::Entry> bad = {{0, 1}, {bucket, 1}};
    EXPECT_FALSE(Histogram::FromEntries(bad, 1, 1, 1, into));
  }
}

TEST(Histogram, IsNotMadeOfExtremesInNoOrder) {
  const std::vector<Histogram::Entry> entries = {{5, 1}};
  Histogram into;
  EXPECT_FALSE(Histogram::FromEntries(entries, 5, 6, 5, into));
}

}  // namespace
}  // namespace rdmabench::report
