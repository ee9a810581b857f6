#include "bench/sequence.h"

#include <bit>

namespace rdmabench {
namespace {

// Numbers so far from the expected one are of no message that this run can have sent.
constexpr std::int64_t kFurthest = std::int64_t{1} << 31;

}  // namespace

bool SequenceTracker::NoteUnexpected(std::int64_t ahead) {
  if (ahead >= kFurthest || ahead < -static_cast<std::int64_t>(kWindow)) {
    ++arrivals_.late;
    return true;
  }
  if (ahead > 0) {
    Skip(static_cast<std::uint64_t>(ahead));
    See(next_++);
    return true;
  }
  const std::uint64_t number = next_ - static_cast<std::uint64_t>(-ahead);
  if ((Word(number) & Bit(number)) != 0) {
    ++arrivals_.duplicated;
    return false;
  }
  See(number);
  ++arrivals_.reordered;
  arrivals_.furthest_behind = std::max(arrivals_.furthest_behind, next_ - 1 - number);
  return true;
}

// They have not come, and what stood in their place is too old to be remembered.
void SequenceTracker::Skip(std::uint64_t numbers) {
  for (std::uint64_t i = 0; i < std::min(numbers, kWindow); ++i) {
    const std::uint64_t number = next_ + numbers - 1 - i;
    Word(number) &= ~Bit(number);
  }
  next_ += numbers;
}

std::uint64_t SequenceTracker::Overtaken() const {
  const std::uint64_t low = seen_[(next_ - kBits) / kBits % seen_.size()];
  const std::uint64_t high = seen_[next_ / kBits % seen_.size()];
  const auto shift = static_cast<int>(next_ % kBits);
  // The bits of the last 64 numbers, of which `shift` are in the word that is being filled.
  const std::uint64_t last = shift == 0 ? low : low >> shift | high << (64 - shift);
  return static_cast<std::uint64_t>(std::popcount(~last));
}

SharedQueue::SharedQueue(const std::vector<std::uint32_t>& numbers) {
  for (std::size_t lane = 0; lane < numbers.size(); ++lane) {
    lanes_.emplace_back(numbers[lane], lane);
  }
  std::sort(lanes_.begin(), lanes_.end());
}

}  // namespace rdmabench
