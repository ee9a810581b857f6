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

std::vector<ErrorNote> NotesOf(const Error& error) {
  std::vector<ErrorNote> notes;
  const auto add = [&notes](std::string_view label, const std::string& text) {
    if (!text.empty()) notes.push_back({label, text});
  };
  add("remedy", error.remedy());
  if (error.peer() == nullptr) return notes;
  add("peer", ErrorLine(*error.peer()));
  add("remedy there", error.peer()->remedy());
  return notes;
}

}  // namespace rdmabench
