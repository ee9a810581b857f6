#include "bench/verified_marks.h"

namespace rdmabench {

std::vector<Pattern> PatternsOf(Role initiator, const Bench& bench, const Job& job) {
  std::vector<Pattern> patterns;
  for (std::uint32_t lane = 0; lane < QueuePairsIn(bench.endpoint); ++lane) {
    patterns.push_back(job.verifying->PatternOf(initiator, bench.first_queue_pair + lane));
  }
  return patterns;
}

ByContent::ByContent(const Bench& bench, const Job& job)
    : slots_(ExposedMemory(bench.endpoint)),
      headroom_(job.type->recv_headroom),
      first_number_(job.first_number),
      patterns_(PatternsOf(PeerOf(job.verifying->role), bench, job)) {}

AtomicStamp::AtomicStamp(const Bench& bench, const Job& job)
    : op_(*job.op), patterns_(PatternsOf(job.verifying->role, bench, job)) {
  const auto first = job.verifying->first_messages.begin() + bench.first_queue_pair;
  first_messages_.assign(first, first + static_cast<std::ptrdiff_t>(patterns_.size()));
}

}  // namespace rdmabench
