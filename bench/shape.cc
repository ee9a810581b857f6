#include "bench/shape.h"

#include <algorithm>
#include <string>

#include "bench/open_loop.h"
#include "bench/test.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr std::uint32_t kDefaultDepth = 128;
// Above this size a completion costs nothing beside its message, and finer ones keep the queue
// fuller.
constexpr std::uint64_t kSignalEachAbove = 8192;
// One message is under way; more requests only keep a late completion from holding up the next.
constexpr std::uint32_t kLatencyDepth = 16;
// Of an open loop: as many again are posted while the first are used.
constexpr std::uint32_t kReceivesAMessage = 2;
constexpr std::uint32_t kReceiveDepth = 512;
constexpr std::uint32_t kLeastReceiveDepth = 16;
constexpr std::uint64_t kBandwidthBytes = 65536;
constexpr std::uint64_t kLatencyBytes = 2;
// --all: powers of two.
constexpr std::uint64_t kSmallestOfAll = 2;
constexpr std::uint64_t kLargestOfAll = std::uint64_t{8} << 20;

bool IsLatency(const TestPlan& test) { return FindTest(test.test).metric == Metric::kLatency; }

std::uint32_t CheckDepth(std::uint32_t asked, std::uint32_t most, const std::string& option) {
  if (asked <= most) return asked;
  throw Error(Blame::kEnvironment,
              option + " " + std::to_string(asked) + " is more than the devices allow, which is " +
                  std::to_string(most),
              "lower " + option);
}

std::uint32_t ChooseDepth(const TestPlan& test, std::uint64_t message_bytes,
                          std::uint32_t most_depth) {
  if (test.queue.send_depth) return CheckDepth(*test.queue.send_depth, most_depth, "--tx-depth");
  if (IsOpenLoop(test) && FindTest(test.test).op->TakesReceives()) {
    most_depth = std::max(most_depth / kReceivesAMessage, 1U);
  } else if (IsLatency(test) && !IsOpenLoop(test)) {
    return std::min(kLatencyDepth, most_depth);
  }
  // At least two, so that one is under way while the other completes.
  const std::uint64_t by_bytes = std::max<std::uint64_t>(kMostBytesInFlight / message_bytes, 2);
  std::uint64_t depth = std::min<std::uint64_t>({kDefaultDepth, by_bytes, most_depth});
  // A post list longer than the default asks for a queue that holds it.
  depth = std::max<std::uint64_t>(depth, std::min<std::uint64_t>(test.queue.post_list, most_depth));
  if (test.queue.signal_every) {
    depth = std::max<std::uint64_t>(depth,
                                    std::min<std::uint64_t>(*test.queue.signal_every, most_depth));
  }
  return static_cast<std::uint32_t>(depth);
}

// The most messages a completion, at most a quarter of the queue, that the count can be divided by;
// when the count has no divisor near, the count is rounded up instead.
std::uint32_t ChooseSignalling(const TestPlan& test, std::uint64_t message_bytes,
                               std::uint32_t depth) {
  const std::uint32_t list = test.queue.post_list;
  if (test.queue.signal_every) return *test.queue.signal_every;
  if (test.run.IsPaced() || IsLatency(test) || message_bytes > kSignalEachAbove) return list;
  std::uint64_t most = std::max<std::uint64_t>(depth / 4, list) / list * list;
  if (!test.run.iterations) return static_cast<std::uint32_t>(most);
  const std::uint64_t count = *test.run.iterations;
  most = std::min<std::uint64_t>(most, (count + list - 1) / list * list);
  for (std::uint64_t every = most; every * 4 >= most; every -= list) {
    if (every == 0) break;
    if (count % every == 0) return static_cast<std::uint32_t>(every);
  }
  return static_cast<std::uint32_t>(most);
}

// A quarter of the queue, or the most below that by which an asked depth can be divided.
std::uint32_t ChooseChain(const QueueOptions& queue, std::uint32_t depth) {
  std::uint32_t chain = std::max<std::uint32_t>(depth / 4, 1);
  while (queue.recv_depth && depth % chain != 0) --chain;
  return chain;
}

// A receive queue whose slots are memory of their own has as many bytes as a queue pair has in
// flight, but room for two posts.
std::uint32_t DepthOfOwnSlots(const QueueOptions& queue, std::uint64_t most_message) {
  const std::uint64_t by_bytes = kMostBytesInFlight / most_message;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(by_bytes, 2 * std::uint64_t{queue.post_list}, kDepth.high));
}

std::uint64_t MostBytes(bool as_many) { return as_many ? ~std::uint64_t{0} : kMostSlotBytes; }

}  // namespace

std::uint32_t QueuePairsOf(const QueueOptions& queue, std::uint32_t index) {
  return queue.queue_pairs / queue.threads + (index < queue.queue_pairs % queue.threads ? 1 : 0);
}

std::uint32_t FirstQueuePairOf(const QueueOptions& queue, std::uint32_t index) {
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < index; ++i) first += QueuePairsOf(queue, i);
  return first;
}

std::vector<std::uint64_t> SizesFor(const TestPlan& test, std::uint32_t mtu_bytes) {
  const Op& op = *FindTest(test.test).op;
  const QpType& type = FindQpType(test.queue.qp_type);
  const std::uint64_t most = type.OneMtuAMessage() ? mtu_bytes : kMessageBytes.high;
  std::vector<std::uint64_t> sizes = test.run.message_bytes;
  if (test.run.all_sizes) {
    for (std::uint64_t bytes = kSmallestOfAll; bytes <= std::min(most, kLargestOfAll); bytes *= 2) {
      sizes.push_back(bytes);
    }
  } else if (sizes.empty() && op.fixed_size != 0) {
    sizes = {op.fixed_size};
  } else if (sizes.empty()) {
    sizes = {IsLatency(test) ? kLatencyBytes : std::min(most, kBandwidthBytes)};
  }
  for (const std::uint64_t bytes : sizes) {
    if (bytes <= most) continue;
    throw Error(Blame::kUsage,
                "--size " + std::to_string(bytes) + " does not go with --connection " +
                    std::string(type.name) + ", whose messages fit into one MTU, which is " +
                    std::to_string(mtu_bytes),
                "use messages of at most " + std::to_string(most) + " bytes");
  }
  return sizes;
}

RingShape ShapeFor(const TestPlan& test, std::uint64_t message_bytes, std::uint32_t most_depth) {
  RingShape shape;
  shape.message_bytes = static_cast<std::uint32_t>(message_bytes);
  shape.window = ChooseDepth(test, message_bytes, most_depth);
  shape.post_list = test.queue.post_list;
  shape.signal_every = ChooseSignalling(test, message_bytes, shape.window);
  shape.one_slot = IsLatency(test) && !IsOpenLoop(test) && !HasAccess(test.memory);
  shape.own_slots = test.run.verify || NamesSlots(test);
  if (!shape.Drains()) {
    throw Error(Blame::kUsage,
                "--post-list " + std::to_string(shape.post_list) + " with --cq-mod " +
                    std::to_string(shape.signal_every) + " do not go with a send queue of " +
                    std::to_string(shape.window) + ": it would lock up, or its ring be too long",
                "make one a multiple of the other, or raise --tx-depth to the sum of both");
  }
  shape.rules = RulesFor(test.memory, {.message_bytes = message_bytes,
                                       .queues = test.queue.queue_pairs,
                                       .unit = static_cast<std::uint32_t>(shape.Unit())});
  return shape;
}

ReceiveShape ReceiveShapeFor(const TestPlan& test, std::uint64_t most_message,
                             std::uint32_t most_depth, std::uint32_t under_way) {
  if (!FindTest(test.test).op->TakesReceives()) return {};
  const QueueOptions& queue = test.queue;
  const std::uint32_t queues = queue.use_srq ? 1 : QueuePairsOf(queue, 0);
  ReceiveShape shape;
  if (queue.recv_depth) {
    shape.depth = CheckDepth(*queue.recv_depth, most_depth, "--rx-depth");
  } else if (IsLatency(test)) {
    const std::uint32_t wish = IsOpenLoop(test) ? kReceivesAMessage * under_way : kLatencyDepth;
    shape.depth = std::min(std::max(wish, kLatencyDepth), most_depth);
  } else {
    // As many as one completion queue holds, so that there need not be several.
    const std::uint32_t share = std::max(most_depth / queues, kLeastReceiveDepth);
    shape.depth = std::min({std::max(kReceiveDepth, 2 * queue.post_list), share, most_depth});
    if (test.run.verify) shape.depth = std::min(shape.depth, DepthOfOwnSlots(queue, most_message));
  }
  shape.own_slots = test.run.verify || NamesSlots(test);
  shape.chain = queue.recv_post_list.value_or(ChooseChain(queue, shape.depth));
  if (!queue.recv_depth) shape.depth = std::max(shape.depth / shape.chain, 1U) * shape.chain;
  shape.slot_bytes =
      static_cast<std::uint32_t>(most_message) + FindQpType(queue.qp_type).recv_headroom;
  shape.rules = RulesFor(test.memory, {.message_bytes = shape.slot_bytes,
                                       .queues = queue.use_srq ? queue.threads : queue.queue_pairs,
                                       .unit = shape.chain});
  CheckDepth(shape.depth, most_depth, "--recv-post-list");
  // A sender that waits for room for its list has to get the credits of a whole chain.
  if (queue.post_list + shape.chain - 1 > shape.depth) {
    throw Error(Blame::kUsage,
                "--post-list " + std::to_string(queue.post_list) + " with --recv-post-list " +
                    std::to_string(shape.chain) + " do not go with a receive queue of " +
                    std::to_string(shape.depth) + ": it would lock up",
                "raise --rx-depth to the sum of both");
  }
  // An answer may be taken, and the next message sent, before its receive request is posted again.
  if (IsOpenLoop(test) && under_way + shape.chain > shape.depth) {
    throw Error(Blame::kUsage,
                std::to_string(under_way) + " messages under way do not go with " +
                    std::to_string(shape.depth) + " receive requests posted " +
                    std::to_string(shape.chain) + " at a time",
                "raise --rx-depth to the sum of both, or lower --tx-depth");
  }
  return shape;
}

std::uint32_t ReceiveShape::Length() const {
  return static_cast<std::uint32_t>(rules.RingLength(depth, chain));
}

SlotLayout LayoutFor(const RingShape& shape, std::uint32_t queue_pairs) {
  // A slot whose last byte is a signal belongs to one queue pair.
  const bool as_many = shape.one_slot || shape.own_slots || shape.rules.slots != 0;
  return {shape.message_bytes, std::uint64_t{queue_pairs} * shape.Slots(), MostBytes(as_many),
          shape.rules};
}

SlotLayout LayoutFor(const ReceiveShape& shape, std::uint32_t queues) {
  return {shape.slot_bytes, std::uint64_t{queues} * shape.Slots(),
          MostBytes(shape.own_slots || shape.rules.slots != 0), shape.rules};
}

}  // namespace rdmabench
