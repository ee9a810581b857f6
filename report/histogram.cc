#include "report/histogram.h"

#include <algorithm>
#include <cmath>

namespace rdmabench::report {

Histogram::Histogram() : buckets_(kBuckets, 0) {}

std::uint64_t Histogram::First(std::uint32_t index) {
  const std::uint32_t octave = index >> kSubBits;
  if (octave == 0) return index;
  const std::uint64_t base = std::uint64_t{1} << kSubBits;
  return (base + (index & (base - 1))) << (octave - 1);
}

void Histogram::Add(const Histogram& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

Histogram Histogram::Snapshot() const {
  Histogram copy;
  const auto read = [](const std::uint64_t& value) {
    return Ref(const_cast<std::uint64_t&>(value)).load(std::memory_order_relaxed);
  };
  for (std::size_t i = 0; i < buckets_.size(); ++i) copy.buckets_[i] = read(buckets_[i]);
  copy.sum_ = read(sum_);
  copy.min_ = read(min_);
  copy.max_ = read(max_);
  return copy;
}

Histogram Histogram::Since(const Histogram& before) const {
  Histogram difference;
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    difference.buckets_[i] = buckets_[i] - before.buckets_[i];
    if (difference.buckets_[i] == 0) continue;
    difference.min_ = std::min(difference.min_, First(i));
    difference.max_ = Last(i);
  }
  difference.max_ = std::min(difference.max_, max_);
  difference.sum_ = sum_ - before.sum_;
  return difference;
}

std::uint64_t Histogram::count() const {
  std::uint64_t count = 0;
  for (const std::uint64_t bucket : buckets_) count += bucket;
  return count;
}

std::uint64_t Histogram::Quantile(double share) const {
  const std::uint64_t all = count();
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all)));
  std::uint64_t seen = 0;
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen < std::max<std::uint64_t>(rank, 1)) continue;
    // Not clamp(): a snapshot may be older in its extremes than in its buckets.
    return std::min(std::max(First(i) + (Last(i) - First(i)) / 2, min_), max_);
  }
  return max_;
}

double Histogram::Deviation() const {
  const auto all = static_cast<double>(count());
  if (all < 2) return 0.0;
  const double mean = static_cast<double>(sum_) / all;
  double squares = 0.0;
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    if (buckets_[i] == 0) continue;
    const double middle = static_cast<double>(First(i) + Last(i)) / 2.0;
    squares += static_cast<double>(buckets_[i]) * (middle - mean) * (middle - mean);
  }
  return std::sqrt(squares / (all - 1));
}

std::vector<Histogram::Entry> Histogram::Entries() const {
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    if (buckets_[i] != 0) entries.emplace_back(i, buckets_[i]);
  }
  return entries;
}

bool Histogram::FromEntries(std::span<const Entry> entries, std::uint64_t sum, std::uint64_t min,
                            std::uint64_t max, Histogram& into) {
  into = Histogram();
  for (const auto& [index, count] : entries) {
    if (index >= kBuckets) return false;
    into.buckets_[index] += count;
  }
  if (!entries.empty() && min > max) return false;
  into.sum_ = sum;
  into.min_ = min;
  into.max_ = max;
  return true;
}

}  // namespace rdmabench::report
