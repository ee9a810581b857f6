#include "bench/run_stream.h"

#include <algorithm>
#include <utility>

#include "bench/channel.h"
#include "bench/policies.h"
#include "bench/shape.h"
#include "bench/stream.h"

namespace rdmabench {
namespace {

std::vector<StreamLane> MakeLanes(const Endpoint& endpoint, const StreamJob& job) {
  const auto pairs = static_cast<std::uint32_t>(endpoint.queue_pairs().size());
  const SlotLayout layout = LayoutFor(job.shape, pairs);
  std::vector<StreamLane> lanes;
  lanes.reserve(pairs);
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const WorkRing::Place place{
        .lane = i,
        .first_slot = std::uint64_t{i} * job.shape.Length(),
        .local = {.addr = endpoint.memory().addr(), .key = endpoint.memory().lkey()},
        .target = endpoint.TargetOf(i),
        .inline_data = UsesInline(endpoint, job)};
    lanes.push_back(
        {endpoint.queue_pairs()[i].get(), WorkRing(job.shape, layout, place, *job.op, *job.type)});
  }
  return lanes;
}

}  // namespace

bool UsesInline(const Endpoint& endpoint, const StreamJob& job) {
  // Devices grant more than they are asked for; what was asked for counts.
  const std::uint32_t most =
      std::min(endpoint.inline_bytes(), job.most_inline.value_or(endpoint.inline_bytes()));
  return job.op->inline_ok && job.shape.message_bytes <= most;
}

StreamRun RunStream(const Endpoint& endpoint, const StreamJob& job, const TickClock& clock,
                    const StopFlags& stop, std::atomic<std::uint64_t>& progress,
                    const std::function<void()>& opening) {
  std::vector<ibv_cq*> cqs;
  for (const Cq& cq : endpoint.send_cqs()) cqs.push_back(cq.get());
  using Engine = Stream<VerbsChannel, Unstamped, Unpaced, Unprobed>;
  Engine engine({.shape = job.shape, .messages = job.messages, .at_least = job.at_least},
                MakeLanes(endpoint, job), std::move(cqs));
  StreamRun run;
  opening();
  run.loop = Drive(clock, BusyPoll{}, stop, progress, engine);
  run.messages = engine.completed();
  run.messages_per_queue_pair = engine.CompletedPerLane();
  return run;
}

}  // namespace rdmabench
