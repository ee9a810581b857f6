// The exit codes that README documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transport/error.h"

namespace rdmabench {

// 1 the run failed, 2 usage, 3 this environment cannot, 4 a limit or check does not hold, 130
// interrupted.
int ExitCode(Blame blame);

// "client, while connecting: nobody listens on …": place and message in one line.
std::string ErrorLine(const Error& error);

// What to do, and what the other side says of itself: of a line each, with what to do there.
struct ErrorNote {
  std::string_view label;  // "remedy", "peer", "remedy there"
  std::string text;
};
std::vector<ErrorNote> NotesOf(const Error& error);

}  // namespace rdmabench
