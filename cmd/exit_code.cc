#include "cmd/exit_code.h"

namespace rdmabench {

int ExitCode(Blame blame) {
  switch (blame) {
    case Blame::kRun:
      return 1;
    case Blame::kUsage:
      return 2;
    case Blame::kEnvironment:
      return 3;
    case Blame::kVerdict:
      return 4;
    case Blame::kInterrupted:
      return 130;
  }
  return 1;
}

std::string ErrorLine(const Error& error) {
  std::string place = error.host();
  if (!error.step().empty()) place += (place.empty() ? "while " : ", while ") + error.step();
  return place + (place.empty() ? "" : ": ") + error.what();
}

}  // namespace rdmabench
