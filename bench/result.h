// Turns what both sides did into what the report says.
#pragma once

#include <cstddef>
#include <span>

#include "bench/agreement.h"
#include "bench/crew.h"
#include "bench/side_run.h"
#include "report/report.h"

namespace rdmabench {

struct ResultContext {
  std::size_t plan_index = 0;
  std::size_t size_index = 0;
  const TestPlan& plan;
  const Agreement& agreement;
  const Crew& crew;
  std::uint32_t run = 1;
  std::span<const report::Host> hosts = {};  // client and server
};

// `server` is absent when the run broke off before it told.
report::Result MakeResult(const ResultContext& context, const SideRun& client,
                          const SideRun* server);

}  // namespace rdmabench
