#include "cmd/doctor_command.h"

#include <iostream>
#include <optional>

#include "bench/client.h"
#include "bench/doctor_session.h"
#include "cmd/notes.h"
#include "cmd/utc_time.h"
#include "report/diagnosis.h"
#include "report/version.h"
#include "transport/error.h"
#include "transport/interrupt.h"

namespace rdmabench {

void RunDoctorCommand(const Options& options) {
  const Interrupt interrupt;
  report::Diagnosis diagnosis;
  diagnosis.tool.version = kVersion;
  diagnosis.tool.commit = BuildCommit();
  diagnosis.started_at = UtcNow();
  DoctorOptions doctor{.call = {},
                       .local = options.local,
                       .remote_devices = options.plan.remote.devices,
                       .observer = MakeNotes(options.output)};
  if (!options.call.host.empty()) doctor.call = options.call;
  std::optional<Error> failure;
  try {
    Diagnose(doctor, interrupt, diagnosis);
  } catch (const std::exception& exception) {
    failure = AsError(exception);
    diagnosis.error = Describe(*failure);
  }
  EndNotes(options.output);
  // From here on Ctrl-C ends the program at once, also while stdout is blocked.
  interrupt.LetTheNextEnd();
  std::cout << (options.json ? report::RenderDiagnosisJson(diagnosis)
                             : report::RenderDiagnosisText(diagnosis))
            << std::flush;
  if (!std::cout) throw Error(Blame::kEnvironment, "cannot write to stdout");
  if (failure) throw Error(*failure);
  if (IsSevere(diagnosis)) {
    throw Error(Blame::kVerdict, "something severe was found", "the findings say what to do");
  }
}

}  // namespace rdmabench
