#include "bench/settle.h"

#include <chrono>
#include <optional>
#include <utility>

#include "transport/catalogue.h"
#include "transport/deadline.h"
#include "transport/peer_error.h"

namespace rdmabench {
namespace {

// The peer's workers have to end, and an emulated host takes its time.
constexpr std::chrono::milliseconds kPatience{800};

}  // namespace

Error Settle(Session& session, Error error, std::string_view side,
             const std::function<Error(Error)>& explain) {
  if (session.has_failed()) return error;
  std::optional<Error> own = error.is_peers() ? session.own_reason() : error;
  if (!own) return error.At(side, session.step());
  if (explain) own = explain(std::move(*own));
  own->At(side, session.step());
  session.Fail(*own);
  if (own->blame() == Blame::kInterrupted) return *own;
  const std::optional<Error> told =
      error.is_peers() ? error : session.AwaitPeerReason(In(kPatience));
  if (!told) return *own;
  if (!IsConsequence(*own) || IsConsequence(*told)) return own->Beside(ReasonOfPeer(*told));
  return Error(*told).Beside(*own);
}

}  // namespace rdmabench
