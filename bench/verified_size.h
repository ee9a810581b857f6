// What a size needs on one side beside its loop where messages are verified: memory made ready for
// them, laps where they lie in the peer's memory, and the account.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bench/crew.h"
#include "bench/job.h"
#include "bench/side_run.h"

namespace rdmabench {

class VerifiedSize {
 public:
  VerifiedSize(const Crew::Setting& setting, Crew& crew, std::size_t size);

  // Absent: nothing is verified.
  const std::optional<Verifying>& verifying() const { return job_.verifying; }
  // There is no warm-up then, since each lap begins with nothing under way; and both sides run it.
  bool in_laps() const { return in_laps_; }

  // Before either side begins.
  void Prepare();
  // The crew's work, in laps if need be.
  std::vector<JobRun> Work(const Job& job, const Crew::Run& run);
  // What came of it, when the peer has told what it sent.
  void Account(const SideRun& peer, SideRun& own);

 private:
  const Crew::Setting& setting_;
  Crew& crew_;
  Job job_;  // as far as memory depends on it
  bool in_laps_;
  Audit audit_;
};

}  // namespace rdmabench
