#include "cmd/test_command.h"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "bench/client.h"
#include "bench/local.h"
#include "cmd/notes.h"
#include "cmd/output.h"
#include "cmd/samples_output.h"
#include "cmd/utc_time.h"
#include "cmd/verdict.h"
#include "report/report.h"
#include "report/version.h"
#include "transport/error.h"
#include "transport/interrupt.h"

namespace rdmabench {
void RunTestCommand(const Options& options) {
  const Interrupt interrupt;
  Output output(options.output, &interrupt);
  std::optional<SamplesOutput> samples;
  if (options.output.samples_file) samples.emplace(*options.output.samples_file, &interrupt);
  report::Report report{.status = report::Status::kRunning};
  report.tool.version = kVersion;
  report.tool.commit = BuildCommit();
  report.started_at = UtcNow();
  Observer observer = MakeNotes(options.output);
  if (samples) {
    observer.samples = [&samples](const report::SampleBlock& block) { samples->Write(block); };
  }
  observer.so_far = [&output, &observer](const report::Report& so_far) {
    const std::optional<Error> failure = output.Update(so_far);
    if (failure && observer.warn) observer.warn(failure->what());
  };
  std::optional<Error> failure;
  try {
    RunClient(options.plan, {.call = options.call, .local = options.local, .observer = observer},
              interrupt, report);
    report.status = report::Status::kComplete;
  } catch (const std::exception& exception) {
    failure = AsError(exception);
    report.error = Describe(*failure);
    report.status = report.results.empty() ? report::Status::kFailed : report::Status::kPartial;
  }
  ApplyLimits(options.limiting, report);
  EndNotes(options.output);
  if (observer.warn) {
    for (const std::string& violation : Violations(report)) observer.warn(violation);
  }
  // From here on Ctrl-C ends the program at once, also while stdout is blocked.
  interrupt.LetTheNextEnd();
  try {
    if (samples) samples->Finish();
    output.Write(report);
  } catch (const Error& error) {
    // Why the run failed says more than that it could not be printed.
    if (!failure) throw;
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  if (failure) throw Error(*failure);
  const std::vector<std::string> failures = Failures(options.limiting, report);
  if (!failures.empty()) throw VerdictOf(failures, options.output.quiet);
}

}  // namespace rdmabench
