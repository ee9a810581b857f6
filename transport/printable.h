// Makes text that somebody else wrote fit to be shown: a terminal obeys escape sequences, a log
// believes line ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rdmabench {

// `text` in at most `longest` bytes. Line ends and tabs become spaces; other control characters,
// marks that change the direction of writing, and bytes that are not UTF-8 become '?'. What was cut
// off is shown as "…".
std::string Printable(std::string_view text, std::size_t longest);

}  // namespace rdmabench
