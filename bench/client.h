// The client's side of a session: says what runs, runs it, fills the report.
#pragma once

#include "bench/local.h"
#include "bench/plan.h"
#include "report/report.h"
#include "transport/interrupt.h"

namespace rdmabench {

struct ClientOptions {
  Call call;
  Local local;
  Observer observer;
};

// An error as a report has it.
report::Failure Describe(const Error& error);

// Runs the plan against the server. `report` is filled as results come in, so that what was
// measured before a failure is in it when this throws Error (with host and step). Sets everything
// but the report's tool and status. Of a plan of several tests one that fails does not keep the
// others from being run: it is among the report's failures, and this throws at the end.
void RunClient(const Plan& plan, const ClientOptions& options, const Interrupt& interrupt,
               report::Report& report);

}  // namespace rdmabench
