#include "bench/entrance.h"

#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "report/version.h"
#include "transport/hello.h"
#include "transport/json_reader.h"
#include "transport/peer_error.h"

namespace rdmabench {
namespace {

constexpr std::chrono::milliseconds kAnswerTimeout{30'000};

Error Busy(std::size_t place, const Call& call) {
  return {Blame::kRun,
          "the server is busy: still at place " + std::to_string(place) + " of its queue after " +
              InSeconds(call.wait),
          "try again later, wait longer with --wait, or start the server with a higher "
          "--max-sessions"};
}

}  // namespace

void Enter(Session& session, std::string_view request, const Call& call, const Observer& observer) {
  session.Begin("saying hello");
  session.Send("hello", HelloToJson(MakeHello(kVersion, request)));
  const Deadline patience = In(call.wait);
  std::size_t told = 0;
  for (;;) {
    // A queued client hears of its place every half second, so each frame has the same deadline.
    auto [kind, body] =
        session.ReceiveAny({"welcome", "queued"}, In(kAnswerTimeout), "its welcome");
    if (kind == "welcome") return;
    session.Begin("waiting for its turn");
    JsonReader reader(body, kind);
    const auto place = static_cast<std::size_t>(reader.Number("place", 1, 1'000'000));
    reader.Done();
    if (place != told && observer.queued) observer.queued(place);
    told = place;
    if (Now() > patience) throw Busy(place, call);
  }
}

}  // namespace rdmabench
