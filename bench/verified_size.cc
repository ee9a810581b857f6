#include "bench/verified_size.h"

#include "bench/content.h"
#include "bench/duty.h"
#include "bench/laps.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

WorkerMemory MemoryOf(const Crew& crew, const QueueOptions& queue, std::uint32_t worker) {
  return {crew.endpoint(worker), FirstQueuePairOf(queue, worker)};
}

}  // namespace

VerifiedSize::VerifiedSize(const Crew::Setting& setting, Crew& crew, std::size_t size)
    : setting_(setting),
      crew_(crew),
      job_{.op = FindTest(setting.plan.test).op,
           .type = &FindQpType(setting.plan.queue.qp_type),
           .duty = crew.duty(),
           .shape = setting.agreement.shapes[size],
           .receive = setting.agreement.receive,
           .shares_receive_queue = setting.plan.queue.use_srq},
      in_laps_(setting.agreement.verify_seed && IsCheckedInLaps(FindTest(setting.plan.test))) {
  if (!setting.agreement.verify_seed) return;
  job_.verifying =
      Verifying{.seed = *setting.agreement.verify_seed, .size_index = size, .role = setting.role};
}

void VerifiedSize::Prepare() {
  const QueueOptions& queue = setting_.plan.queue;
  const Duty peer = DutyOf(FindTest(setting_.plan.test), queue, PeerOf(setting_.role));
  if (!job_.verifying || in_laps_ || !peer.Posts()) return;
  for (std::uint32_t i = 0; i < crew_.size(); ++i) PrepareTarget(MemoryOf(crew_, queue, i), job_);
}

std::vector<JobRun> VerifiedSize::Work(const Job& job, const Crew::Run& run) {
  if (in_laps_) {
    Laps laps(setting_, crew_, job);
    laps.Run(run);
    audit_.Add(laps.audit());
    return laps.runs();
  }
  std::vector<JobRun> runs = crew_.Work(job, run);
  for (const JobRun& worker : runs) audit_.Add(worker.audit);
  return runs;
}

void VerifiedSize::Account(const SideRun& peer, SideRun& own) {
  if (!job_.verifying) return;
  if (!in_laps_ && job_.op->IsAtomic() && !job_.duty.Initiates() && peer.sent) {
    const QueueOptions& queue = setting_.plan.queue;
    if (peer.sent->messages_per_queue_pair.size() != queue.queue_pairs) {
      throw Error(Blame::kRun, "the peer's counts are not one a queue pair");
    }
    for (std::uint32_t i = 0; i < crew_.size(); ++i) {
      CheckTarget(MemoryOf(crew_, queue, i), job_, peer.sent->messages_per_queue_pair, audit_);
    }
  }
  own.verification = audit_.account();
  own.verification->seed = job_.verifying->seed;
  own.verification->in_timed_loop = !in_laps_;
}

}  // namespace rdmabench
