// Text of any origin made safe for a terminal: names and messages come from the other side, too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rdmabench::report {

// Control characters (also C1 and those that turn the direction of writing) as "\n", "\t", "\x1b",
// "\u202e"; ill-formed UTF-8 as U+FFFD. The result is one line.
std::string Printable(std::string_view text);

// How many columns a printable text takes: its code points.
std::size_t Columns(std::string_view printable);

}  // namespace rdmabench::report
