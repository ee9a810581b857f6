#include "report/histogram.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rdmabench::report {
namespace {

using Wide = Histogram::Wide;

}  // namespace

Histogram::Histogram() : buckets_(kBuckets, 0) {}

std::uint64_t Histogram::First(std::uint32_t index) {
  const std::uint32_t octave = index >> kSubBits;
  if (octave == 0) return index;
  return (kBase + (index & (kBase - 1))) << (octave - 1);
}

std::uint64_t Histogram::Last(std::uint32_t index) {
  return index + 1 == kBuckets ? ~std::uint64_t{0} : First(index + 1) - 1;
}

void Histogram::Add(const Histogram& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  totals_.sum += other.totals_.sum;
  totals_.squares += other.totals_.squares;
  totals_.min = std::min(totals_.min, other.totals_.min);
  totals_.max = std::max(totals_.max, other.totals_.max);
}

Histogram Histogram::Snapshot() const {
  Histogram copy;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    // An atomic_ref is of what may be written, also to read it.
    auto& bucket = const_cast<std::uint64_t&>(buckets_[i]);
    copy.buckets_[i] = std::atomic_ref<std::uint64_t>(bucket).load(std::memory_order_relaxed);
  }
  copy.EstimateTotals();
  return copy;
}

Histogram Histogram::Since(const Histogram& before) const {
  Histogram difference;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    difference.buckets_[i] = buckets_[i] - before.buckets_[i];
  }
  difference.EstimateTotals();
  return difference;
}

void Histogram::EstimateTotals() {
  totals_ = {};
  for (const auto& [bucket, samples] : Entries()) {
    const std::uint64_t middle = Bounds{First(bucket), Last(bucket)}.middle();
    totals_.sum += samples * middle;
    totals_.squares += Wide{samples} * middle * middle;
    totals_.min = std::min(totals_.min, First(bucket));
    totals_.max = Last(bucket);
  }
}

std::uint64_t Histogram::count() const {
  std::uint64_t count = 0;
  for (const std::uint64_t bucket : buckets_) count += bucket;
  return count;
}

double Histogram::Deviation() const {
  const std::uint64_t all = count();
  if (all < 2) return 0.0;
  // The sum of squared deviations is squares - sum² / count, a small difference of large numbers:
  // in whole numbers nothing of it gets lost, where doubles may keep no digit.
  const Wide square = Wide{totals_.sum} * totals_.sum;
  const Wide quotient = square / all;
  const double whole = static_cast<double>(totals_.squares - quotient);
  const double part = static_cast<double>(square % all) / static_cast<double>(all);
  return std::sqrt((whole - part) / static_cast<double>(all - 1));
}

Histogram::Bounds Histogram::AtRank(std::uint64_t rank) const {
  assert(rank >= 1);
  std::uint64_t seen = 0;
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= rank) return {std::max(First(i), totals_.min), std::min(Last(i), totals_.max)};
  }
  return {totals_.max, totals_.max};
}

std::vector<Histogram::Entry> Histogram::Entries() const {
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    if (buckets_[i] != 0) entries.emplace_back(i, buckets_[i]);
  }
  return entries;
}

// Whether some samples have these entries and totals, as far as a few comparisons tell; so much as
// makes every figure of theirs a number.
bool Histogram::ArePossible(std::span<const Entry> entries, const Totals& totals) {
  Wide samples = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto [bucket, count] = entries[i];
    if (bucket >= kBuckets || count == 0) return false;
    if (i > 0 && bucket <= entries[i - 1].first) return false;
    samples += count;
  }
  if (samples >> 64 != 0) return false;
  if (entries.empty()) return totals == Totals{};
  const Wide square = Wide{totals.sum} * totals.sum;
  return Index(totals.min) == entries.front().first && Index(totals.max) == entries.back().first &&
         totals.min <= totals.max && samples * totals.min <= totals.sum &&
         totals.sum <= samples * totals.max &&
         totals.squares >= square / samples + (square % samples != 0 ? 1 : 0) &&
         totals.squares <= Wide{totals.max} * totals.sum;
}

bool Histogram::FromEntries(std::span<const Entry> entries, const Totals& totals, Histogram& into) {
  if (!ArePossible(entries, totals)) return false;
  into = Histogram();
  for (const auto& [bucket, count] : entries) into.buckets_[bucket] = count;
  into.totals_ = totals;
  return true;
}

}  // namespace rdmabench::report
