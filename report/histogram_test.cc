#include "report/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

namespace rdmabench::report {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr std::uint64_t kMost = ~std::uint64_t{0};
constexpr std::uint64_t kHour = 18'000'000'000'000;  // ticks at 5 GHz

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
  Values values(kMost);
  for (int i = 0; i < 500; ++i) ExpectBucketHolds(values());
}

TEST(Histogram, PutsEveryPowerOfTwoAndItsNeighboursIntoTheRightBuckets) {
  for (unsigned bits = 0; bits < 64; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    for (const std::uint64_t value : {power - 1, power, power + 1}) ExpectBucketHolds(value);
  }
  ExpectBucketHolds(kMost);
}

TEST(Histogram, HasBucketsThatFollowEachOtherWithoutAGap) {
  const std::uint32_t last = Of({kMost}).Entries()[0].first;
  EXPECT_EQ(Histogram::First(0), 0U);
  for (std::uint32_t i = 0; i < last; ++i) {
    ASSERT_EQ(Histogram::Last(i) + 1, Histogram::First(i + 1));
    ASSERT_LE(Histogram::First(i), Histogram::Last(i));
  }
  EXPECT_EQ(Histogram::Last(last), kMost);
}

TEST(Histogram, KeepsSmallValuesExactly) {
  const Histogram histogram = Of({0, 1, 2047, 2047});
  EXPECT_THAT(histogram.Entries(), ElementsAre(Histogram::Entry{0, 1}, Histogram::Entry{1, 1},
                                               Histogram::Entry{2047, 2}));
}

TEST(Histogram, KnowsCountSumsAndExtremesExactly) {
  const std::vector<std::uint64_t> values = Many(10'000, kHour);
  const Histogram histogram = Of(values);
  Histogram::Wide squares = 0;
  for (const std::uint64_t value : values) squares += Histogram::Wide{value} * value;
  EXPECT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.sum(), std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
  EXPECT_TRUE(histogram.totals().squares == squares);
  EXPECT_EQ(histogram.min(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(histogram.max(), *std::max_element(values.begin(), values.end()));
}

class Ranks : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Ranks, AreThoseOfAllSamplesSorted) {
  std::vector<std::uint64_t> values = Many(GetParam(), kHour);
  const Histogram histogram = Of(values);
  std::sort(values.begin(), values.end());
  for (const double share : {0.0, 0.001, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank = static_cast<std::size_t>(
        std::max(std::ceil(share * static_cast<double>(values.size())), 1.0));
    const std::uint64_t exact = values[rank - 1];
    const Histogram::Bounds bounds = histogram.AtRank(rank);
    EXPECT_LE(bounds.low, exact);
    EXPECT_GE(bounds.high, exact);
    EXPECT_NEAR(static_cast<double>(bounds.middle()), static_cast<double>(exact),
                Allowed(exact) / 2 + 1)
        << share;
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, Ranks,
                         ::testing::Values(1, 2, 3, 10, 99, 100, 101, 1000, 100'000));

TEST(Histogram, HasNoRankBeyondItsExtremes) {
  const Histogram histogram = Of({1'000'001, 1'000'002});
  EXPECT_GE(histogram.AtRank(1).low, 1'000'001U);
  EXPECT_LE(histogram.AtRank(2).high, 1'000'002U);
}

TEST(Histogram, HasTheDeviationOfItsSamples) {
  const std::vector<std::uint64_t> values = Many(10'000, 1'000'000);
  const double mean = static_cast<double>(Of(values).sum()) / static_cast<double>(values.size());
  double squares = 0.0;
  for (const std::uint64_t value : values) {
    squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  }
  const double exact = std::sqrt(squares / static_cast<double>(values.size() - 1));
  EXPECT_NEAR(Of(values).Deviation(), exact, exact * 1e-12);
  EXPECT_EQ(Of({5}).Deviation(), 0.0);
  EXPECT_EQ(Histogram().Deviation(), 0.0);
}

// In doubles the squares of these differ in digits that they do not have.
TEST(Histogram, HasADeviationThatIsASmallPartOfTheMean) {
  const Histogram histogram = Of({kHour, kHour + 1, kHour + 2});
  EXPECT_DOUBLE_EQ(histogram.Deviation(), 1.0);
  EXPECT_EQ(Of({kHour, kHour, kHour}).Deviation(), 0.0);
}

void ExpectSame(const Histogram& one, const Histogram& other) {
  EXPECT_EQ(one.Entries(), other.Entries());
  EXPECT_TRUE(one.totals() == other.totals());
  EXPECT_EQ(one.Deviation(), other.Deviation());
}

TEST(Histogram, AddsUpToWhatOneWouldHaveRecorded) {
  const std::vector<std::uint64_t> values = Many(1000, kHour);
  Histogram sum;
  Histogram parts[3];
  for (std::size_t i = 0; i < values.size(); ++i) parts[i % 3].Record(values[i]);
  for (const Histogram& part : parts) sum.Add(part);
  ExpectSame(sum, Of(values));
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
  EXPECT_NEAR(static_cast<double>(since.sum()), 50'100.0, Allowed(50'000));
  EXPECT_NEAR(since.Deviation(), 49'900.0 / std::sqrt(2.0), Allowed(50'000));
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
    EXPECT_LE(snapshot.min(), snapshot.count() == 0 ? kMost : 1U);
    EXPECT_LE(snapshot.Deviation(), static_cast<double>(kSamples));
    seen = snapshot.count();
  }
  writer.join();
  EXPECT_EQ(histogram.Snapshot().count(), kSamples);
}

TEST(Histogram, ComesBackFromItsEntries) {
  for (const std::vector<std::uint64_t>& values :
       {Many(1000, kHour), {}, {7}, {kMost}, {0, 0}, {3, 3, 4}}) {
    const Histogram histogram = Of(values);
    Histogram back = Of({1});
    ASSERT_TRUE(Histogram::FromEntries(histogram.Entries(), histogram.totals(), back));
    ExpectSame(back, histogram);
  }
}

// Entries and totals of 5, 5 and 3000, changed so that there are no such samples.
struct Impossible {
  std::string name;
  std::function<void(std::vector<Histogram::Entry>& entries, Histogram::Totals& totals)> change;
};

class ImpossibleEntries : public ::testing::TestWithParam<Impossible> {};

TEST_P(ImpossibleEntries, AreRefused) {
  const Histogram histogram = Of({5, 5, 3000});
  std::vector<Histogram::Entry> entries = histogram.Entries();
  Histogram::Totals totals = histogram.totals();
  Histogram into = Of({1});
  ASSERT_TRUE(Histogram::FromEntries(entries, totals, into));
  GetParam().change(entries, totals);
  EXPECT_FALSE(Histogram::FromEntries(entries, totals, into));
  ExpectSame(into, histogram);
}

INSTANTIATE_TEST_SUITE_P(
    All, ImpossibleEntries,
    ::testing::Values(
        Impossible{"no_such_bucket", [](auto& list, auto&) { list[1].first = 55U << 10; }},
        Impossible{"far_beyond_the_last", [](auto& list, auto&) { list[1].first = ~0U; }},
        Impossible{"empty_bucket", [](auto& list, auto&) { list[0].second = 0; }},
        Impossible{"one_bucket_twice", [](auto& list, auto&) { list[1].first = list[0].first; }},
        Impossible{"descending", [](auto& list, auto&) { std::swap(list[0], list[1]); }},
        Impossible{"more_than_can_be_counted",
                   [](auto& list, auto&) { list[0].second = list[1].second = kMost; }},
        Impossible{"no_entries", [](auto& list, auto&) { list.clear(); }},
        Impossible{"minimum_in_another_bucket", [](auto&, auto& exact) { exact.min = 4; }},
        Impossible{"maximum_in_another_bucket", [](auto&, auto& exact) { exact.max = 4000; }},
        Impossible{"sum_below_all_minimum", [](auto&, auto& exact) { exact.sum = 14; }},
        Impossible{"sum_above_all_maximum", [](auto&, auto& exact) { exact.sum = 9001; }},
        Impossible{"squares_below_those_of_the_mean",
                   [](auto&, auto& exact) { exact.squares = 3'020'033; }},
        Impossible{"squares_above_the_sum_times_maximum",
                   [](auto&, auto& exact) { exact.squares = 9'030'001; }},
        Impossible{"endless_squares",
                   [](auto&, auto& exact) { exact.squares = ~Histogram::Wide{0}; }}),
    [](const auto& row) { return row.param.name; });

TEST(Histogram, IsNotMadeOfExtremesInNoOrder) {
  const std::vector<Histogram::Entry> entries = {{Of({5000}).Entries()[0].first, 1}};
  Histogram into;
  const Histogram::Totals totals{.sum = 5000, .squares = 25'000'000, .min = 5001, .max = 5000};
  EXPECT_FALSE(Histogram::FromEntries(entries, totals, into));
}

}  // namespace
}  // namespace rdmabench::report
