// What a server does not grant is told from what fails on its side.
#pragma once

#include "transport/error.h"

namespace rdmabench {

// What `decide` throws is a refusal of what the client asks for. Where it asks for nothing, what
// this machine cannot do is a failure of this side.
template <class Decide>
auto Deciding(const Decide& decide, bool is_asked = true) {
  try {
    return decide();
  } catch (Error& error) {
    if (is_asked || error.blame() != Blame::kEnvironment) error.Refusing();
    throw;
  }
}

}  // namespace rdmabench
