#include "bench/shape.h"

#include <algorithm>
#include <string>

#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr std::uint32_t kDefaultDepth = 128;
// Above this size a completion costs nothing beside its message, and finer ones keep the queue
// fuller.
constexpr std::uint64_t kSignalEachAbove = 8192;
constexpr std::uint64_t kWarmupMessages = 1000;

std::uint32_t ChooseDepth(const TestPlan& test, std::uint64_t message_bytes,
                          std::uint32_t most_depth) {
  if (test.queue.send_depth) {
    if (*test.queue.send_depth > most_depth) {
      throw Error(Blame::kEnvironment,
                  "--tx-depth " + std::to_string(*test.queue.send_depth) +
                      " is more than the devices allow, which is " + std::to_string(most_depth),
                  "lower --tx-depth");
    }
    return *test.queue.send_depth;
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
  if (message_bytes > kSignalEachAbove) return list;
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

}  // namespace

RingShape ShapeFor(const TestPlan& test, std::uint64_t message_bytes, std::uint32_t most_depth) {
  RingShape shape;
  shape.message_bytes = static_cast<std::uint32_t>(message_bytes);
  shape.window = ChooseDepth(test, message_bytes, most_depth);
  shape.post_list = test.queue.post_list;
  shape.signal_every = ChooseSignalling(test, message_bytes, shape.window);
  if (!shape.Drains()) {
    throw Error(Blame::kUsage,
                "--post-list " + std::to_string(shape.post_list) + " with --cq-mod " +
                    std::to_string(shape.signal_every) + " do not go with a send queue of " +
                    std::to_string(shape.window) + ": it would lock up, or its ring be too long",
                "make one a multiple of the other, or raise --tx-depth to the sum of both");
  }
  return shape;
}

std::uint64_t WarmupMessages(const RingShape& shape, std::uint32_t queue_pairs) {
  const std::uint64_t share = (kWarmupMessages + queue_pairs - 1) / queue_pairs;
  return shape.WholeUnits(std::max<std::uint64_t>(share, shape.window));
}

SlotLayout LayoutFor(const RingShape& shape, std::uint32_t queue_pairs) {
  return {shape.message_bytes, std::uint64_t{queue_pairs} * shape.Length(), kMostSlotBytes};
}

std::uint64_t FootprintOf(const RingShape& shape, std::uint32_t queue_pairs) {
  const std::uint64_t requests = std::uint64_t{queue_pairs} * shape.Length();
  return LayoutFor(shape, queue_pairs).Bytes() + requests * (sizeof(ibv_send_wr) + sizeof(ibv_sge));
}

}  // namespace rdmabench
