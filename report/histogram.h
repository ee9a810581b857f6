// Latency samples in log-linear buckets: every sample counts, the relative error of a value is at
// most 1/1024, two histograms add up. Constant size, whatever is recorded.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rdmabench::report {

// A cache line of its own: threads record into neighbours.
class alignas(64) Histogram {
 public:
  // A bucket and its count.
  using Entry = std::pair<std::uint32_t, std::uint64_t>;

  Histogram();

  // One writer; others may read at the same time.
  void Record(std::uint64_t value) {
    Bump(buckets_[Index(value)], 1);
    Bump(sum_, value);
    if (value > max_) Ref(max_).store(value, std::memory_order_relaxed);
    if (value < min_) Ref(min_).store(value, std::memory_order_relaxed);
  }
  void Add(const Histogram& other);
  // What has been recorded up to now, by a reader.
  Histogram Snapshot() const;
  // What came since `before`, a snapshot of this one. Its minimum and maximum are those of buckets.
  Histogram Since(const Histogram& before) const;

  std::uint64_t count() const;
  std::uint64_t sum() const { return sum_; }
  // Of at least one sample.
  std::uint64_t min() const { return min_; }
  std::uint64_t max() const { return max_; }
  // The smallest value that at least `share` of all samples do not exceed (nearest rank), as the
  // middle of its bucket, but never beyond the extremes.
  std::uint64_t Quantile(double share) const;
  // Standard deviation of the samples, divided by count - 1; from the buckets' middles.
  double Deviation() const;

  std::vector<Entry> Entries() const;  // those that are not empty, ascending
  // The reverse, with the exact values that buckets do not know. False when an entry is none, or
  // the extremes are in no order.
  static bool FromEntries(std::span<const Entry> entries, std::uint64_t sum, std::uint64_t min,
                          std::uint64_t max, Histogram& into);

  // The values of a bucket: from first to last.
  static std::uint64_t First(std::uint32_t index);
  static std::uint64_t Last(std::uint32_t index) { return First(index + 1) - 1; }

 private:
  // Values below 2^11 have a bucket each; above, each power of two has 2^10.
  static constexpr unsigned kSubBits = 10;
  static constexpr unsigned kMostBits = 48;  // larger values count as the largest
  static constexpr std::uint32_t kBuckets = (kMostBits - kSubBits + 1) << kSubBits;

  static std::uint32_t Index(std::uint64_t value) {
    if (value >> kMostBits != 0) [[unlikely]]
      return kBuckets - 1;
    if (value < (1U << kSubBits)) return static_cast<std::uint32_t>(value);
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - kSubBits - 1;
    return (shift << kSubBits) + static_cast<std::uint32_t>(value >> shift);
  }
  static std::atomic_ref<std::uint64_t> Ref(std::uint64_t& value) {
    return std::atomic_ref<std::uint64_t>(value);
  }
  // A load and a store, since there is one writer: no locked instruction.
  static void Bump(std::uint64_t& value, std::uint64_t by) {
    Ref(value).store(Ref(value).load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  std::vector<std::uint64_t> buckets_;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
};

}  // namespace rdmabench::report
