#include "bench/slots.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>

#include "transport/error.h"
#include "transport/joined.h"

namespace rdmabench {
namespace {

constexpr std::string_view kAccesses[] = {kSequential, kRandom, kSame};

}  // namespace

std::uint64_t SlotRules::LeastStride(std::uint64_t message_bytes) const {
  return (offset + message_bytes + align - 1) / align * align;
}

std::uint64_t SlotRules::RingLength(std::uint64_t least, std::uint64_t unit) const {
  const std::uint64_t lap = slots == 0 ? unit : std::lcm(std::uint64_t{slots}, unit);
  return (least + lap - 1) / lap * lap;
}

SlotRules RulesFor(const MemoryOptions& memory, const SlotUse& use) {
  SlotRules rules;
  rules.align = memory.align_bytes.value_or(rules.align);
  rules.offset = memory.offset_bytes;
  rules.random = memory.access == kRandom;
  if (memory.access == kSame) rules.slots = 1;
  if (!memory.working_set_bytes) return rules;
  const std::uint64_t share = *memory.working_set_bytes / use.queues;
  const std::uint64_t fitting = share / rules.LeastStride(use.message_bytes);
  if (fitting == 0) {
    throw Error(Blame::kUsage,
                "--working-set " + std::to_string(*memory.working_set_bytes) +
                    " has no room for a message of " + std::to_string(use.message_bytes) +
                    " bytes for each of " + std::to_string(use.queues) + " queues",
                "raise it, or lower --size or --qp");
  }
  const std::uint64_t most =
      std::clamp<std::uint64_t>(kMostSlotsOfSide / use.queues, 1, kMostSlotsOfQueue);
  std::uint64_t slots = std::min(fitting, most);
  // A ring that goes through all of them evenly, without being longer than it has to be for others.
  if (slots > use.unit) slots = slots / use.unit * use.unit;
  const std::uint64_t longest = std::max<std::uint64_t>(most, use.unit);
  while (std::lcm(slots, std::uint64_t{use.unit}) > longest) --slots;
  rules.slots = static_cast<std::uint32_t>(slots);
  if (fitting > most) rules.stride = share / slots / rules.align * rules.align;
  return rules;
}

bool HasAccess(const MemoryOptions& memory) {
  return memory.access.has_value() || memory.working_set_bytes.has_value();
}

std::string AccessNames() { return Joined(kAccesses); }

bool IsAccess(std::string_view name) {
  return std::find(std::begin(kAccesses), std::end(kAccesses), name) != std::end(kAccesses);
}

SlotLayout::SlotLayout(std::uint32_t message_bytes, std::uint64_t slots_wanted,
                       std::uint64_t most_bytes, const SlotRules& rules)
    : stride(std::max(rules.stride, rules.LeastStride(message_bytes))),
      slots(std::clamp<std::uint64_t>(most_bytes / stride, 1, slots_wanted)),
      offset(rules.offset) {}

std::vector<std::uint32_t> SlotOrder(const SlotRules& rules, std::uint32_t count,
                                     std::uint64_t seed) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  if (rules.random) std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  return order;
}

}  // namespace rdmabench
