// What a run says on stderr while it goes on: notes as lines, progress on a terminal in one line
// that is rewritten.
#pragma once

#include "bench/local.h"
#include "cmd/options.h"

namespace rdmabench {

// Silent when the options say quiet; progress only when stderr is a terminal; a line for each
// interval when that was asked for.
Observer MakeNotes(const OutputOptions& options);

// Wipes the progress line, before anything else is printed.
void EndNotes(const OutputOptions& options);

}  // namespace rdmabench
