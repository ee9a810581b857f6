#include "bench/content.h"

#include <atomic>

namespace rdmabench {
namespace {

constexpr std::uint64_t kFailingSwap = 4;
// A number so far ahead is that of no message, but of bytes that are wrong.
constexpr std::uint64_t kFurthest = std::uint64_t{1} << 32;

// Of a latency test the last byte of what is polled for is a mark.
std::size_t ContentBytes(const Job& job) {
  const bool has_mark = job.op->reply == Reply::kMemory && !job.duty.streams;
  return job.shape.message_bytes - (has_mark ? 1U : 0U);
}

bool Swaps(const Op& op) { return op.sent == IBV_WC_COMP_SWAP; }

// The one slot that a queue pair of a latency test has on either side.
std::span<std::byte> OneSlot(std::byte* base, const SlotLayout& layout, std::uint32_t lane,
                             std::size_t bytes) {
  return {base + layout.Offset(lane), bytes};
}

// A message of one word may have come by one store, of which a mark in its last byte is only a
// part.
void AcquireWord(std::byte* at) {
  if (reinterpret_cast<std::uintptr_t>(at) % sizeof(std::uint64_t) != 0) return;
  auto* word = reinterpret_cast<std::uint64_t*>(at);
  (void)std::atomic_ref<std::uint64_t>(*word).load(std::memory_order_acquire);
}

}  // namespace

bool IsCheckedInLaps(const Test& test) {
  return test.metric == Metric::kBandwidth && test.op->peer_access != 0;
}

std::uint64_t Changes(const Op& op, std::uint64_t messages) {
  return Swaps(op) ? messages - messages / kFailingSwap : messages;
}

void PutAtomicValues(const Op& op, std::uint64_t message, std::uint64_t before,
                     ibv_send_wr& request) {
  if (!Swaps(op)) return;
  const bool fails = Changes(op, message) == Changes(op, message + 1);
  request.wr.atomic.compare_add = fails ? ~before : before;
  request.wr.atomic.swap = before + 1;
}

std::uint64_t Numbers::MessageOf(const Pattern& pattern, std::span<const std::byte> found,
                                 std::uint64_t next) const {
  if (!finds_ || !numbered_) return next;
  const std::uint64_t message = pattern.MessageOf(LoadWord(found.data()));
  return message < next + kFurthest ? message : next;
}

void PrepareTarget(const WorkerMemory& worker, const Job& job) {
  const Endpoint& endpoint = worker.endpoint;
  const std::uint32_t pairs = QueuePairsIn(endpoint);
  if (job.op->peer_access == 0) {
    const SlotLayout layout = LayoutFor(job.receive, job.shares_receive_queue ? 1 : pairs);
    Poison({endpoint.exposed_data(), layout.Bytes()});
    return;
  }
  const SlotLayout layout = LayoutFor(job.shape, pairs);
  const Role initiator = PeerOf(job.verifying->role);
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const std::span<std::byte> slot =
        OneSlot(endpoint.exposed_data(), layout, i, ContentBytes(job));
    if (job.op->IsBoundByReadDepth()) {
      job.verifying->PatternOf(initiator, worker.first_queue_pair + i).Fill(0, slot);
    } else {
      Poison(slot);
    }
  }
}

void CheckTarget(const WorkerMemory& worker, const Job& job,
                 const std::vector<std::uint64_t>& messages, Audit& audit) {
  const SlotLayout layout = LayoutFor(job.shape, QueuePairsIn(worker.endpoint));
  for (std::uint32_t i = 0; i < QueuePairsIn(worker.endpoint); ++i) {
    const std::uint32_t pair = worker.first_queue_pair + i;
    const Pattern pattern = job.verifying->PatternOf(PeerOf(job.verifying->role), pair);
    const std::uint64_t value = pattern.Word(0, 0) + Changes(*job.op, messages.at(pair));
    const std::span<std::byte> slot =
        OneSlot(worker.endpoint.exposed_data(), layout, i, Pattern::kWordBytes);
    audit.CheckWord({.queue_pair = pair, .message = messages.at(pair)}, value,
                    LoadWord(slot.data()));
  }
}

ArrivedContent::ArrivedContent(const Job& job, std::uint32_t first_queue_pair,
                               std::uint32_t queue_pairs)
    : numbers_(*job.type, ContentBytes(job)), first_queue_pair_(first_queue_pair) {
  for (std::uint32_t i = 0; i < queue_pairs; ++i) {
    lanes_.push_back({job.verifying->PatternOf(PeerOf(job.verifying->role), first_queue_pair + i)});
  }
}

void ArrivedContent::Look(std::uint32_t index, std::span<std::byte> found) {
  Look(index, found, found.size());
}

void ArrivedContent::Look(std::uint32_t index, std::span<std::byte> found, std::size_t told_bytes) {
  Lane& lane = lanes_[index];
  const std::uint64_t message = numbers_.MessageOf(lane.pattern, found, lane.next);
  const MessageId id{.queue_pair = first_queue_pair_ + index,
                     .message = message,
                     .content = numbers_.ContentOf(message)};
  if (told_bytes == found.size()) {
    audit_.Check(lane.pattern, id, found);
  } else {
    audit_.WrongLength(id, found.size(), told_bytes);
  }
  lane.next = message + 1;
  Poison(found);
}

RoundTripContent::RoundTripContent(const Bench& bench, const Job& job)
    : bench_(bench),
      job_(job),
      layout_(LayoutFor(job.shape, QueuePairsIn(bench.endpoint))),
      numbers_(*job.type, ContentBytes(job)),
      arrived_(job, bench.first_queue_pair, QueuePairsIn(bench.endpoint)) {
  for (std::uint32_t i = 0; i < QueuePairsIn(bench.endpoint); ++i) {
    lanes_.push_back(
        {.pattern = job.verifying->PatternOf(job.verifying->role, bench.first_queue_pair + i),
         .own = OneSlot(bench.endpoint.own_data(), layout_, i, ContentBytes(job))});
  }
}

void RoundTripContent::Leaves(std::uint32_t index, ibv_send_wr& request) {
  Lane& lane = lanes_[index];
  const std::uint64_t message = lane.sent++;
  if (!job_.op->IsBoundByReadDepth()) {
    lane.pattern.Fill(numbers_.ContentOf(message), lane.own);
    return;
  }
  Poison(lane.own);
  if (!job_.op->IsAtomic()) return;
  PutAtomicValues(*job_.op, message, lane.pattern.Word(0, 0) + Changes(*job_.op, message), request);
}

void RoundTripContent::Completes(std::uint32_t index) {
  if (!job_.op->IsBoundByReadDepth()) return;
  Lane& lane = lanes_[index];
  const MessageId id{.queue_pair = bench_.first_queue_pair + index, .message = lane.completed++};
  if (job_.op->IsAtomic()) {
    pulled_.CheckWord(id, lane.pattern.Word(0, 0) + Changes(*job_.op, id.message),
                      LoadWord(lane.own.data()));
  } else {
    pulled_.Check(lane.pattern, id, lane.own);
  }
}

void RoundTripContent::Arrives(std::uint32_t index) {
  const std::span<std::byte> incoming = Incoming(index);
  if (job_.shape.message_bytes == sizeof(std::uint64_t)) AcquireWord(incoming.data());
  arrived_.Look(index, incoming);
}

std::span<std::byte> RoundTripContent::Incoming(std::uint32_t index) const {
  const Endpoint& endpoint = bench_.endpoint;
  if (job_.op->peer_access != 0) {
    return OneSlot(endpoint.exposed_data(), layout_, index, ContentBytes(job_));
  }
  return {ExposedMemory(endpoint).At(bench_.rings[index].front_addr()) + job_.type->recv_headroom,
          ContentBytes(job_)};
}

Audit RoundTripContent::audit() const {
  Audit all = arrived_.audit();
  all.Add(pulled_);
  return all;
}

}  // namespace rdmabench
