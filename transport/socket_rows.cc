#include "transport/socket_rows.h"

#include <cerrno>

namespace rdmabench {

bool MeansExhausted(int code) {
  return code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM;
}

std::string_view RowOfDialing(int code) {
  if (code == ECONNREFUSED) return "nobody_listens";
  // No local port is left.
  return MeansExhausted(code) || code == EADDRNOTAVAIL ? "exhausted" : "no_way";
}

std::string_view RowOfSource(int code) {
  // In use: no port of that address is left.
  return MeansExhausted(code) || code == EADDRINUSE ? "exhausted" : "foreign_address";
}

std::string_view RowOfListening(int code, std::uint16_t port) {
  if (code == EADDRINUSE && port != 0) return "port_taken";
  return code == EACCES ? "port_forbidden" : RowOfSource(code);
}

}  // namespace rdmabench
