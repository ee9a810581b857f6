#include "bench/sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace rdmabench {
namespace {

constexpr std::uint64_t kWindow = SequenceTracker::kWindow;

report::Arrivals After(const std::vector<std::uint64_t>& numbers, std::uint64_t first = 0) {
  SequenceTracker tracker(first);
  for (const std::uint64_t number : numbers) {
    tracker.Note(static_cast<std::int64_t>(number - tracker.next()));
  }
  return tracker.arrivals();
}

std::vector<std::uint64_t> UpTo(std::uint64_t end) {
  std::vector<std::uint64_t> numbers(end);
  for (std::uint64_t i = 0; i < end; ++i) numbers[i] = i;
  return numbers;
}

TEST(SequenceTracker, FindsNothingInMessagesThatComeOnceAndInOrder) {
  EXPECT_EQ(After(UpTo(3 * kWindow)), report::Arrivals{});
}

TEST(SequenceTracker, FindsNothingWhereMessagesAreMissing) {
  EXPECT_EQ(After({0, 1, 5, 6, 9, 9 + kWindow, 9 + 7 * kWindow}), report::Arrivals{});
}

TEST(SequenceTracker, CountsEachRepetition) {
  EXPECT_EQ(After({0, 1, 1, 2, 1, 2, 3}), (report::Arrivals{.duplicated = 3}));
}

// RFC 4737, 3: a number below the next expected one.
TEST(SequenceTracker, CountsAsReorderedWhatComesAfterALaterOne) {
  EXPECT_EQ(After({0, 2, 1, 3}), (report::Arrivals{.reordered = 1, .furthest_behind = 1}));
  EXPECT_EQ(After({0, 4, 1, 2, 3, 5}), (report::Arrivals{.reordered = 3, .furthest_behind = 3}));
  EXPECT_EQ(After({0, 2, 1, 1}),
            (report::Arrivals{.duplicated = 1, .reordered = 1, .furthest_behind = 1}));
}

TEST(SequenceTracker, RemembersAWholeWindow) {
  std::vector<std::uint64_t> numbers = UpTo(2 * kWindow);
  std::erase(numbers, kWindow);
  numbers.push_back(kWindow);
  EXPECT_EQ(After(numbers), (report::Arrivals{.reordered = 1, .furthest_behind = kWindow - 1}));
  numbers.back() = kWindow + 1;
  EXPECT_EQ(After(numbers), (report::Arrivals{.duplicated = 1}));
}

TEST(SequenceTracker, CannotTellWhatIsOlderThanThat) {
  std::vector<std::uint64_t> numbers = UpTo(2 * kWindow);
  numbers.push_back(kWindow - 1);
  EXPECT_EQ(After(numbers), (report::Arrivals{.late = 1}));
}

TEST(SequenceTracker, ForgetsWhatCameAWindowBeforeAGap) {
  std::vector<std::uint64_t> numbers = UpTo(kWindow);
  const std::uint64_t gap = 100;
  numbers.push_back(kWindow + gap);
  // In the places of these stood numbers that had come.
  for (std::uint64_t i = 0; i < gap; ++i) numbers.push_back(kWindow + i);
  EXPECT_EQ(After(numbers), (report::Arrivals{.reordered = gap, .furthest_behind = gap}));
}

TEST(SequenceTracker, TakesNoNumberThatIsFarFromAllOthersForTheNewest) {
  EXPECT_EQ(After({0, 1, std::uint64_t{1} << 40, 2, 3}), (report::Arrivals{.late = 1}));
}

// Against a set that remembers everything.
TEST(SequenceTracker, CountsWhatAnExactAccountCounts) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    if (random() % 100 == 0) continue;
    numbers.push_back(i);
    if (random() % 50 == 0) numbers.push_back(i);
  }
  for (std::size_t i = 0; i + 60 < numbers.size(); i += 1 + random() % 200) {
    std::swap(numbers[i], numbers[i + random() % 60]);
  }
  report::Arrivals exact;
  std::set<std::uint64_t> seen;
  for (const std::uint64_t number : numbers) {
    if (!seen.insert(number).second) {
      ++exact.duplicated;
    } else if (number < *seen.rbegin()) {
      ++exact.reordered;
      exact.furthest_behind = std::max(exact.furthest_behind, *seen.rbegin() - number);
    }
  }
  ASSERT_GT(exact.duplicated, 100U);
  ASSERT_GT(exact.reordered, 100U);
  EXPECT_EQ(After(numbers), exact);
}

std::uint64_t SettledAfter(const std::vector<std::uint64_t>& numbers) {
  SequenceTracker tracker(0);
  for (const std::uint64_t number : numbers) {
    tracker.Note(static_cast<std::int64_t>(number - tracker.next()));
  }
  return tracker.passed() - tracker.Overtaken();
}

TEST(SequenceTracker, SettlesWhatHasCome) {
  for (const std::uint64_t end : {0U, 1U, 63U, 64U, 65U, 1000U}) {
    EXPECT_EQ(SettledAfter(UpTo(end)), end);
  }
}

TEST(SequenceTracker, SettlesLostMessagesWhenThoseAfterThemHaveCome) {
  std::vector<std::uint64_t> numbers = UpTo(100);
  std::erase(numbers, 30U);
  EXPECT_EQ(SettledAfter(numbers), 100U);
}

TEST(SequenceTracker, WaitsForMessagesThatMayOnlyHaveBeenOvertaken) {
  for (std::uint64_t behind = 1; behind <= 64; ++behind) {
    std::vector<std::uint64_t> numbers = UpTo(1000);
    std::erase(numbers, 1000 - behind - 1);
    EXPECT_EQ(SettledAfter(numbers), behind < 64 ? 999U : 1000U) << behind;
    numbers.push_back(1000 - behind - 1);
    EXPECT_EQ(SettledAfter(numbers), 1000U) << behind;
  }
}

TEST(SequenceTracker, SettlesARepeatedMessageOnce) { EXPECT_EQ(SettledAfter({0, 1, 1, 1}), 2U); }

// A chain of so many requests, each with a slot of 64 bytes.
struct Chain {
  explicit Chain(std::size_t length) : slots(length * 64), pieces(length), requests(length) {
    for (std::size_t i = 0; i < length; ++i) {
      pieces[i].addr = kBase + i * 64;
      requests[i].sg_list = &pieces[i];
      requests[i].next = i + 1 < length ? &requests[i + 1] : nullptr;
    }
  }
  MappedMemory Memory() { return {.data = slots.data(), .addr = kBase}; }

  static constexpr std::uint64_t kBase = 0x70000;
  std::vector<std::byte> slots;
  std::vector<ibv_sge> pieces;
  std::vector<ibv_send_wr> requests;
};

// Numbers on both sides of where 32 bits end.
constexpr std::uint64_t kBeforeWrap = (std::uint64_t{1} << 32) - 3;

TEST(ImmediateSequence, GoesOnWhere32BitsEnd) {
  const ImmediateSequence stamp(kBeforeWrap);
  Sequences<ByImmediate, OwnQueue> inspect({.first = kBeforeWrap, .most_overtaken = 64}, {}, {});
  std::uint64_t message = 0;
  for (int i = 0; i < 4; ++i) {
    Chain chain(2);
    stamp(0, chain.requests.data(), message);
    for (const ibv_send_wr& request : chain.requests) {
      ibv_wc completion{};
      completion.imm_data = request.imm_data;
      if (message++ == 3) continue;  // the first one that begins at 0 again
      inspect(completion, 0);
      if (message == 7) inspect(completion, 0);
    }
  }
  EXPECT_EQ(inspect.Sum(), (report::Arrivals{.duplicated = 1}));
  EXPECT_EQ(inspect.repeated(), 1U);
  EXPECT_EQ(inspect.Settled(0, 0), 7U) << "of eight one is missing";
}

TEST(ImmediateSequence, IsReadAcrossTheWrapInBothDirections) {
  Sequences<ByImmediate, OwnQueue> inspect({.first = kBeforeWrap}, {}, {});
  for (const std::uint32_t number : {0xfffffffdU, 1U, 0xffffffffU, 0U, 2U}) {
    ibv_wc completion{};
    completion.imm_data = htobe32(number);
    inspect(completion, 0);
  }
  EXPECT_EQ(inspect.Sum(), (report::Arrivals{.reordered = 2, .furthest_behind = 2}));
}

TEST(PayloadSequence, IsReadBehindTheHeadRoom) {
  constexpr std::uint32_t kHeadroom = 40;
  Chain chain(3);
  const PayloadSequence stamp(kBeforeWrap, chain.Memory());
  stamp(0, chain.requests.data(), 0);
  std::vector<std::byte> arrived(chain.slots.size() + kHeadroom);
  std::copy(chain.slots.begin(), chain.slots.end(), arrived.begin() + kHeadroom);
  constexpr std::uint64_t kSlots = 0x90000;
  Sequences<ByPayload, OwnQueue> inspect(
      {.first = kBeforeWrap},
      {.slots = {.data = arrived.data(), .addr = kSlots}, .headroom = kHeadroom}, {});
  for (const std::uint64_t slot : {0U, 2U, 1U, 1U}) inspect(ibv_wc{}, kSlots + slot * 64);
  EXPECT_EQ(inspect.Sum(),
            (report::Arrivals{.duplicated = 1, .reordered = 1, .furthest_behind = 1}));
}

TEST(Sequences, AreOfEachQueuePairForItself) {
  Sequences<ByImmediate, OwnQueue> own({.lanes = 2}, {}, {});
  Sequences<ByImmediate, SharedQueue> shared({.lanes = 2}, {}, SharedQueue({0x99, 0x11}));
  ibv_wc completion{};
  for (const std::uint32_t number : {0U, 1U, 1U}) {
    completion.imm_data = htobe32(number);
    for (const std::uint32_t lane : {0U, 1U}) {
      if (number == 1 && lane == 0) continue;
      completion.wr_id = lane;
      completion.qp_num = lane == 0 ? 0x99 : 0x11;
      own(completion, 0);
      completion.wr_id = 0;
      shared(completion, 0);
    }
  }
  EXPECT_EQ(own.Sum(), (report::Arrivals{.duplicated = 1}));
  EXPECT_EQ(shared.Sum(), (report::Arrivals{.duplicated = 1}));
  EXPECT_EQ(own.Settled(0, 0), 1U);
  EXPECT_EQ(own.Settled(1, 0), 2U);
  EXPECT_EQ(shared.Settled(0, 0), 3U) << "of all that share it";
}

// So that the sender does not wait for what is lost.
TEST(Sequences, KeepRequestsForSoManyOvertakenMessagesAtMost) {
  Sequences<ByImmediate, SharedQueue> inspect({.lanes = 2, .most_overtaken = 5}, {},
                                              SharedQueue({7, 8}));
  for (const std::uint32_t lane : {7U, 8U}) {
    ibv_wc completion{};
    completion.qp_num = lane;
    completion.imm_data = htobe32(3);
    inspect(completion, 0);
  }
  EXPECT_EQ(inspect.Settled(0, 0), 8U - 5U) << "six of eight are missing";
}

}  // namespace
}  // namespace rdmabench
