// Which row of the catalogue an errno value of a TCP socket is of.
#pragma once

#include <cstdint>
#include <string_view>

namespace rdmabench {

// Whether descriptors or memory are used up.
bool MeansExhausted(int code);

// Of socket() and connect(), where the address to come from is this host's.
std::string_view RowOfDialing(int code);
// Of bind() to the address to come from, with any port.
std::string_view RowOfSource(int code);
// Of socket(), bind() and listen(); a `port` of 0 is any.
std::string_view RowOfListening(int code, std::uint16_t port);

}  // namespace rdmabench
