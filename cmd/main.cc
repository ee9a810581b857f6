// rdmabench: the program. Parses, runs, and turns what went wrong into two lines and an exit code.

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cmd/devices_command.h"
#include "cmd/doctor_command.h"
#include "cmd/exit_code.h"
#include "cmd/options.h"
#include "cmd/server_command.h"
#include "cmd/status_command.h"
#include "cmd/test_command.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

int Run(const std::vector<std::string>& args) {
  const Options options = ParseOptions(args);
  switch (options.command) {
    case Command::kPrint:
      std::fputs(options.text.c_str(), stdout);
      return 0;
    case Command::kTest:
      RunTestCommand(options);
      return 0;
    case Command::kServer:
      return RunServerCommand(options, args);
    case Command::kDevices:
      RunDevicesCommand(options.json, options.only_devices);
      return 0;
    case Command::kDoctor:
      RunDoctorCommand(options);
      return 0;
    case Command::kStatus:
      RunStatusCommand(options);
      return 0;
  }
  return 0;
}

void Print(const Error& error) {
  std::fprintf(stderr, "error: %s\n", ErrorLine(error).c_str());
  for (const ErrorNote& note : NotesOf(error)) {
    std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(note.label.size()), note.label.data(),
                 note.text.c_str());
  }
}

}  // namespace
}  // namespace rdmabench

int main(int argc, char** argv) {
  // Whoever reads stdout may leave; then the write fails and says so.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return rdmabench::Run({argv + 1, argv + argc});
  } catch (const rdmabench::Error& error) {
    rdmabench::Print(error);
    return rdmabench::ExitCode(error.blame());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return rdmabench::ExitCode(rdmabench::Blame::kRun);
  }
}
