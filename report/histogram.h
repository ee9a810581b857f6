// Latency samples in log-linear buckets: every sample counts, the relative error of a value is at
// most 1/2048, two histograms add up. Constant size, whatever is recorded.
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
  __extension__ using Wide = unsigned __int128;

  // What is known beside the buckets. The sum holds 58 years of ticks at 10 GHz.
  struct Totals {
    std::uint64_t sum = 0;
    Wide squares = 0;  // the sum of the samples' squares
    std::uint64_t min = ~std::uint64_t{0};
    std::uint64_t max = 0;

    bool operator==(const Totals&) const = default;
  };

  Histogram();

  // One writer; meanwhile other threads may call Snapshot(), and nothing else.
  void Record(std::uint64_t value) {
    std::uint64_t& bucket = buckets_[Index(value)];
    // A load and a store, since there is one writer: no locked instruction.
    std::atomic_ref<std::uint64_t>(bucket).store(bucket + 1, std::memory_order_relaxed);
    totals_.sum += value;
    totals_.squares += Wide{value} * value;
    if (value > totals_.max) totals_.max = value;
    if (value < totals_.min) totals_.min = value;
  }
  void Add(const Histogram& other);

  // What has been recorded up to now. It is made of the buckets alone, each a count that it had
  // during the call: all samples from before the call are in it, none from after its return. Its
  // totals are those of samples in the middles of their buckets, its extremes are buckets' ends.
  Histogram Snapshot() const;
  // What came since `before`, a snapshot of the same. Its totals are a snapshot's, too.
  Histogram Since(const Histogram& before) const;

  std::uint64_t count() const;
  std::uint64_t sum() const { return totals_.sum; }
  // Of at least one sample.
  std::uint64_t min() const { return totals_.min; }
  std::uint64_t max() const { return totals_.max; }
  const Totals& totals() const { return totals_; }
  // Standard deviation of the samples, divided by count - 1; 0 for fewer than two.
  double Deviation() const;

  // What is known of one sample: it lies between the two.
  struct Bounds {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    std::uint64_t middle() const { return low + (high - low) / 2; }
  };
  // The sample of a rank from 1 to count(), in ascending order.
  Bounds AtRank(std::uint64_t rank) const;

  std::vector<Entry> Entries() const;  // those that are not empty, ascending
  // The reverse. False when there are no samples that have these entries and totals.
  static bool FromEntries(std::span<const Entry> entries, const Totals& totals, Histogram& into);

  // The values of a bucket: from first to last.
  static std::uint64_t First(std::uint32_t index);
  static std::uint64_t Last(std::uint32_t index);

 private:
  // Values below 2^11 have a bucket each; above, each power of two has 2^10. No value is beyond the
  // last: an hour at 5 GHz needs 45 bits, and to have all 64 costs less than to compare each
  // sample.
  static constexpr unsigned kSubBits = 10;
  static constexpr std::uint64_t kBase = std::uint64_t{1} << kSubBits;
  static constexpr std::uint32_t kBuckets = (64 - kSubBits + 1) << kSubBits;

  static std::uint64_t Index(std::uint64_t value) {
    // Of the highest bit; bit_width() would cost three instructions more on x86.
    const unsigned place = 63U ^ static_cast<unsigned>(std::countl_zero(value | kBase));
    return (std::uint64_t{place} << kSubBits) + (value >> (place - kSubBits)) -
           (std::uint64_t{kSubBits} << kSubBits);
  }
  static bool ArePossible(std::span<const Entry> entries, const Totals& totals);
  void EstimateTotals();

  std::vector<std::uint64_t> buckets_;
  Totals totals_;
};

}  // namespace rdmabench::report
