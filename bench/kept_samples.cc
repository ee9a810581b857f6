#include "bench/kept_samples.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/shape.h"
#include "transport/error.h"
#include "transport/json_reader.h"

namespace rdmabench {

using nlohmann::json;

std::vector<SampleLog> MakeLogs(std::uint64_t room, const QueueOptions& queue,
                                std::uint64_t messages) {
  std::vector<SampleLog> logs;
  if (room == 0) return logs;
  logs.reserve(queue.threads);
  for (std::uint32_t i = 0; i < queue.threads; ++i) {
    const std::uint32_t pairs = QueuePairsOf(queue, i);
    logs.emplace_back(std::min(room / queue.threads / pairs, messages) * pairs);
  }
  return logs;
}

void SendKept(Session& session, std::span<const std::uint64_t> ticks,
              const KeptTransfer& transfer) {
  bool is_last = false;
  while (!is_last) {
    const json body = session.Receive("take_samples", In(transfer.patience), "its taking samples");
    JsonReader(body, "take_samples").Done();
    const std::span<const std::uint64_t> next = ticks.first(std::min(ticks.size(), transfer.frame));
    ticks = ticks.subspan(next.size());
    is_last = ticks.empty();
    session.Send("samples", {{"ticks", std::vector<std::uint64_t>(next.begin(), next.end())},
                             {"is_last", is_last}});
  }
}

std::vector<std::uint64_t> FetchKept(Session& session, std::uint64_t most,
                                     const KeptTransfer& transfer) {
  std::vector<std::uint64_t> ticks;
  for (bool is_last = false; !is_last;) {
    session.Send("take_samples", json::object());
    const json body = session.Receive("samples", In(transfer.patience), "its samples");
    JsonReader reader(body, "samples");
    const std::vector<std::uint64_t> next =
        reader.Numbers("ticks", 0, ~std::uint64_t{0}, transfer.frame);
    is_last = reader.Flag("is_last");
    reader.Done();
    // An empty frame that is not the last would go on for ever.
    if (next.size() > most - ticks.size() || (next.empty() && !is_last)) {
      throw Error(Blame::kRun, "the server's samples are not at most " + std::to_string(most));
    }
    ticks.insert(ticks.end(), next.begin(), next.end());
  }
  return ticks;
}

}  // namespace rdmabench
