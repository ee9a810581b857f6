// What a run says on stderr while it goes on: notes as lines, progress on a terminal in one line
// that is rewritten.
#pragma once

#include "bench/local.h"

namespace rdmabench {

// Silent when `quiet`; progress only when stderr is a terminal.
Observer MakeNotes(bool quiet);

// Wipes the progress line, before anything else is printed.
void EndNotes(bool quiet);

}  // namespace rdmabench
