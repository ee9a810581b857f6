#include "bench/job.h"

#include <algorithm>

#include "bench/job_engines.h"

namespace rdmabench {

namespace {

std::optional<Failure> FindFailure(ibv_cq* cq) {
  ibv_wc completion{};
  while (ibv_poll_cq(cq, 1, &completion) > 0) {
    if (completion.status != IBV_WC_SUCCESS && completion.status != IBV_WC_WR_FLUSH_ERR) {
      return FailureOf(completion);
    }
  }
  return std::nullopt;
}

}  // namespace

std::uint32_t QueuePairsIn(const Endpoint& endpoint) {
  return static_cast<std::uint32_t>(endpoint.queue_pairs().size());
}

MappedMemory OwnMemory(const Endpoint& endpoint) {
  return {.data = endpoint.own_data(), .addr = endpoint.own_addr()};
}

MappedMemory ExposedMemory(const Endpoint& endpoint) {
  return {.data = endpoint.exposed_data(), .addr = endpoint.exposed_addr()};
}

std::optional<Failure> FindCause(const Endpoint& endpoint, const Endpoint* control) {
  for (const Endpoint* side : {&endpoint, control}) {
    if (side == nullptr) continue;
    for (const std::span<const Cq> cqs : {side->send_cqs(), side->recv_cqs()}) {
      for (const Cq& cq : cqs) {
        if (const std::optional<Failure> cause = FindFailure(cq.get())) return cause;
      }
    }
  }
  return std::nullopt;
}

Failure RootCause(const Failure& seen, const Endpoint& endpoint, const Endpoint* control) {
  const bool is_completion = seen.what == Failure::What::kCompletion;
  if (is_completion && seen.code != IBV_WC_WR_FLUSH_ERR) return seen;
  return FindCause(endpoint, control).value_or(seen);
}

bool UsesInline(const Endpoint& endpoint, const Job& job) {
  // Devices grant more than they are asked for; what was asked for counts.
  const std::uint32_t most =
      std::min(endpoint.inline_bytes(), job.most_inline.value_or(endpoint.inline_bytes()));
  return job.op->inline_ok && job.shape.message_bytes <= most;
}

std::vector<Lane> MakeLanes(const Endpoint& endpoint, const Job& job) {
  const std::uint32_t pairs = QueuePairsIn(endpoint);
  const SlotLayout layout = LayoutFor(job.shape, pairs);
  std::vector<Lane> lanes;
  lanes.reserve(pairs);
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const WorkRing::Place place{
        .lane = i,
        .first_slot = std::uint64_t{i} * job.shape.Slots(),
        .local = {.addr = endpoint.own_addr(), .key = endpoint.memory().lkey(i)},
        .target = endpoint.TargetOf(i),
        .inline_data = UsesInline(endpoint, job)};
    lanes.push_back(
        {endpoint.queue_pairs()[i].get(), WorkRing(job.shape, layout, place, *job.op, *job.type)});
  }
  return lanes;
}

std::vector<ibv_cq*> Pointers(std::span<const Cq> cqs) {
  std::vector<ibv_cq*> pointers;
  for (const Cq& cq : cqs) pointers.push_back(cq.get());
  return pointers;
}

ByMemory WatchMemory(const Endpoint& endpoint, const Job& job) {
  const std::uint32_t pairs = QueuePairsIn(endpoint);
  const SlotLayout layout = LayoutFor(job.shape, pairs);
  std::vector<ByMemory::Slot> slots;
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const std::uint64_t last = layout.Offset(i) + job.shape.message_bytes - 1;
    slots.push_back({endpoint.exposed_data() + last, endpoint.own_data() + last});
  }
  return ByMemory(slots);
}

ScheduleOptions ScheduleFor(const Bench& bench, const Job& job) {
  return {.ticks_per_message = job.ticks_per_message,
          .post_list = job.shape.post_list,
          .burst = job.burst,
          .lane = bench.first_lane,
          .lanes = job.queue_pairs,
          .seed = job.arrival_seed};
}

JobRun RunJob(const Bench& bench, const Job& job) {
  if (!job.duty.pings && !job.duty.echoes) return RunBandwidth(bench, job);
  return job.open_loop ? RunOpenLoop(bench, job) : RunLatency(bench, job);
}

}  // namespace rdmabench
