// Errors of verbs: what was attempted, the system's words, and what the catalogue says of the two.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "transport/error.h"

namespace rdmabench {

struct CallContext {
  std::string attempted;          // "cannot create a completion queue of 128 entries"
  bool locks = false;             // whether it had to lock memory
  std::uint64_t locks_bytes = 0;  // how much; 0: not known
  std::string remedy = {};        // in place of the catalogue's, where more is known
};

// Throws Error(kEnvironment) of the call's row, or of the limit on locked memory where that
// explains it.
[[noreturn]] void ThrowCall(std::string_view call, int code, const CallContext& context);

// For verbs that return a pointer and set errno. Returns `pointer`.
template <class T>
T* CheckCall(T* pointer, std::string_view call, const CallContext& context) {
  if (pointer == nullptr) ThrowCall(call, LastErrno(), context);
  return pointer;
}

}  // namespace rdmabench
