// rdmabench: the program. Parses, runs, and turns what went wrong into two lines and an exit code.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cmd/devices_command.h"
#include "cmd/options.h"
#include "cmd/server_command.h"
#include "cmd/test_command.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr int kRunFailed = 1;

// The exit codes that README documents.
int ExitCode(Blame blame) {
  switch (blame) {
    case Blame::kRun:
      return kRunFailed;
    case Blame::kUsage:
      return 2;
    case Blame::kEnvironment:
      return 3;
    case Blame::kInterrupted:
      return 130;
  }
  return kRunFailed;
}

void Run(const std::vector<std::string>& args) {
  const Options options = ParseOptions(args);
  switch (options.command) {
    case Command::kPrint:
      std::fputs(options.text.c_str(), stdout);
      return;
    case Command::kTest:
      return RunTestCommand(options);
    case Command::kServer:
      return RunServerCommand(options, args);
    case Command::kDevices:
      return RunDevicesCommand(options.json);
  }
}

void Print(const Error& error) {
  std::string place = error.host();
  if (!error.step().empty()) place += (place.empty() ? "while " : ", while ") + error.step();
  std::fprintf(stderr, "error: %s%s%s\n", place.c_str(), place.empty() ? "" : ": ", error.what());
  if (!error.remedy().empty()) std::fprintf(stderr, "remedy: %s\n", error.remedy().c_str());
}

}  // namespace
}  // namespace rdmabench

int main(int argc, char** argv) {
  try {
    rdmabench::Run({argv + 1, argv + argc});
    return 0;
  } catch (const rdmabench::Error& error) {
    rdmabench::Print(error);
    return rdmabench::ExitCode(error.blame());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return rdmabench::kRunFailed;
  }
}
