// How a side ends a session that has failed: it tells the other one why, hears what that one says
// of itself, and has one error of both.
#pragma once

#include <functional>
#include <string_view>

#include "transport/error.h"
#include "transport/session.h"

namespace rdmabench {

// `side` is this one, a literal. The error that counts: this side's own with the peer's beside it;
// the peer's where this side has none, or only the consequence of another one. Waits for less than
// a second, and not at all for a peer that is lost or was told of an interrupt. `explain` adds what
// is known beside to an error of this side; may be empty. The first call does all of that, while
// queue pairs are still there so that the peer's requests do not fail because of this; others
// return the error.
Error Settle(Session& session, Error error, std::string_view side,
             const std::function<Error(Error)>& explain = {});

}  // namespace rdmabench
