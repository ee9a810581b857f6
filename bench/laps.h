// A verified bandwidth test of an operation that names the peer's memory: as many messages as there
// are slots, then both sides look at what has arrived, then the next lap.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/audit.h"
#include "bench/content.h"
#include "bench/crew.h"
#include "bench/job.h"
#include "transport/deadline.h"

namespace rdmabench {

class Laps {
 public:
  // `job`: of a side, which may be one that nothing moves on. All arguments outlive it.
  Laps(const Crew::Setting& setting, Crew& crew, const Job& job);

  // Both sides call it. A failure raises the session's abort flag, and what was done until then is
  // in runs().
  void Run(const Crew::Run& run);

  const std::vector<JobRun>& runs() const { return runs_; }  // of all laps, one a worker
  const Audit& audit() const { return audit_; }

 private:
  using Counts = std::vector<std::uint64_t>;  // of each queue pair of a side
  using Base = std::byte* (Endpoint::*)() const;

  void Go(const Crew::Run& run);
  bool GoesOn(bool wanted);
  void Prepare();
  std::vector<JobRun> Move(const Crew::Run& run, std::uint64_t messages);
  Counts Exchange(const Counts& own);
  void AwaitArrivals(const Counts& sent);
  void Check(const Counts& own, const Counts& peer, std::uint64_t told);
  void CheckArrived(const Counts& sent, std::uint64_t told);
  void CheckAnswers(Base base, const Counts& first, const Counts& counts, bool after);
  void Tell(const Crew::Run& run, std::uint64_t messages);
  Pattern PatternOf(Role initiator, std::uint32_t queue_pair) const;
  // Calls `visit` with the queue pair, the number and the memory of each of the first `counts`
  // messages of every queue pair, where `first` is the number in the first slot.
  template <class Visit>
  void EachSlot(Base base, const Counts& first, const Counts& counts, const Visit& visit) const;

  const Crew::Setting& setting_;
  Session& session_;
  Crew& crew_;
  Job job_;
  Verifying verifying_;
  Duty peer_duty_;
  bool pulls_;        // it is the initiator's memory that messages arrive in
  Counts all_;        // slots of each queue pair
  Counts own_first_;  // the next lap's first message
  Counts peer_first_;
  std::optional<Deadline> end_;
  std::atomic<bool> interrupted_{false};
  Deadline told_at_;
  std::uint64_t told_messages_ = 0;
  std::uint64_t messages_ = 0;
  std::vector<JobRun> runs_;
  Audit audit_;
};

}  // namespace rdmabench
