#include "bench/numbering.h"

#include "bench/test.h"
#include "transport/memory.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

// Of the worker that has most.
bool HaveSlotsOfTheirOwn(const TestPlan& test, const RingShape& shape,
                         const ReceiveShape& receive) {
  const std::uint32_t pairs = QueuePairsOf(test.queue, 0);
  return LayoutFor(shape, pairs).slots == std::uint64_t{pairs} * shape.Length() &&
         LayoutFor(receive, pairs).slots == std::uint64_t{pairs} * receive.Length();
}

}  // namespace

Numbering NumberingOf(const TestPlan& test, const RingShape& shape, const ReceiveShape& receive) {
  const Test& row = FindTest(test.test);
  if (row.metric != Metric::kBandwidth || !row.op->TakesReceives() ||
      !FindQpType(test.queue.qp_type).loses) {
    return Numbering::kNone;
  }
  if (row.op->immediate) return Numbering::kImmediate;
  const bool readable = shape.message_bytes >= kNumberBytes &&
                        FindMemoryKind(test.memory.kind).cpu_access &&
                        FindMemoryKind(test.memory.server_kind()).cpu_access &&
                        // Which slot a message of a shared queue lies in is not known.
                        !test.queue.use_srq && HaveSlotsOfTheirOwn(test, shape, receive);
  return readable ? Numbering::kPayload : Numbering::kNone;
}

}  // namespace rdmabench
