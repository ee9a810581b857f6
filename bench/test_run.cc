#include "bench/test_run.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/failure_text.h"
#include "bench/shape.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// For a step that the peer does by itself: making queue pairs, connecting them. Emulated hosts need
// most of it.
constexpr milliseconds kStepTimeout{60'000};
// Inline beyond this gains nothing: the request would be larger than the doorbell write of any
// device.
constexpr std::uint64_t kMostInlineWish = 256;

std::uint32_t InlineWish(const TestPlan& plan) {
  std::uint64_t wish = 0;
  for (const std::uint64_t bytes : plan.run.message_bytes) {
    if (bytes <= kMostInlineWish) wish = std::max(wish, bytes);
  }
  return static_cast<std::uint32_t>(wish);
}

}  // namespace

TestRun::TestRun(const Setting& setting)
    : setting_(setting),
      test_(FindTest(setting.plan.test)),
      type_(FindQpType(setting.plan.queue.qp_type)) {
  setting_.step = "making the queue pairs";
  const Placement& placement = setting_.site.placement;
  const bool pinned = !placement.worker_cpus.empty();
  worker_ = std::make_unique<Worker>(
      setting_.site.device, OptionsFor(), setting_.site.locality,
      pinned ? std::optional<unsigned>(placement.worker_cpus.front()) : std::nullopt);
  Connect();
}

EndpointOptions TestRun::OptionsFor() const {
  const TestPlan& plan = setting_.plan;
  const bool active = setting_.role == Role::kClient;
  EndpointOptions options;
  options.type = &type_;
  options.port = setting_.site.port.number;
  options.gid = active ? setting_.agreement.client_gid : setting_.agreement.server_gid;
  options.mtu_bytes = setting_.agreement.mtu_bytes;
  options.queue_pairs = plan.queue.queue_pairs;
  options.send_depth = active ? setting_.agreement.Depth() : 1;
  options.inline_bytes = active && test_.op->inline_ok ? plan.queue.inline_bytes : std::nullopt;
  options.inline_wish = active && test_.op->inline_ok ? InlineWish(plan) : 0;
  options.attributes.timeout = static_cast<std::uint8_t>(plan.link.timeout);
  options.attributes.retry_count = static_cast<std::uint8_t>(plan.link.retry_count);
  options.memory_kind = &FindMemoryKind(plan.memory.kind);
  options.memory_bytes = setting_.agreement.MemoryBytes(plan.queue.queue_pairs);
  options.numa_node = setting_.site.placement.memory_node;
  options.access = active ? 0 : test_.op->peer_access;
  options.relaxed_ordering = plan.memory.relaxed_ordering.value_or(true);
  return options;
}

void TestRun::Connect() {
  setting_.step = "exchanging peer information";
  Session& session = setting_.session;
  session.Send("peer", PeerInfoToJson(worker_->endpoint().Local()));
  const PeerInfo remote =
      PeerInfoFromJson(session.Receive("peer", In(kStepTimeout), "its queue pairs' addresses"),
                       setting_.plan.queue.queue_pairs);
  setting_.step = "connecting the queue pairs";
  worker_->endpoint().Connect(remote);
  session.Send("connected", json::object());
  session.Receive("connected", In(kStepTimeout), "its queue pairs to be connected");
}

// A barrier that also checks that both sides mean the same size. The peer may come to it from its
// warm-up.
void TestRun::Meet(std::string_view kind, const RingShape& shape) {
  Session& session = setting_.session;
  session.Send(kind, {{"message_bytes", shape.message_bytes}});
  const json body =
      session.Receive(kind, In(setting_.longest_phase), "its side of '" + std::string(kind) + "'");
  JsonReader reader(body, std::string(kind));
  reader.Number("message_bytes", shape.message_bytes, shape.message_bytes);
  reader.Done();
}

void TestRun::Measure(std::size_t size, const std::function<void(const Sample&, double)>& progress,
                      SizeRun& run) {
  const RingShape& shape = setting_.agreement.shapes[size];
  run.active = setting_.role == Role::kClient;
  run.complete = false;
  setting_.step = "getting ready";
  Meet("ready", shape);
  setting_.step = "warming up";
  if (run.active) WarmUp(shape, run);
  Meet("run", shape);
  setting_.step = "running";
  if (run.active) Loop(shape, progress, run);
  ExchangeCounts(run);
  run.complete = true;
}

void TestRun::WarmUp(const RingShape& shape, SizeRun& run) {
  const RunOptions& options = setting_.plan.run;
  if (options.warmup_ms == 0) return;
  const StreamJob job{.op = test_.op,
                      .type = &type_,
                      .shape = shape,
                      .messages = WarmupMessages(shape, setting_.plan.queue.queue_pairs),
                      .at_least = shape.window,
                      .most_inline = setting_.plan.queue.inline_bytes};
  const StreamRun warm = Stream(job,
                                {.duration = milliseconds(options.warmup_ms),
                                 .stall_timeout = milliseconds(options.stall_timeout_ms),
                                 .progress = {}},
                                nullptr);
  run.warmup_messages = warm.messages;
  run.warmup_seconds = setting_.site.clock.Seconds(warm.loop.start_ticks, warm.loop.end_ticks);
  if (warm.loop.outcome != Outcome::kDone) ThrowWhy(warm.loop);
}

void TestRun::Loop(const RingShape& shape,
                   const std::function<void(const Sample&, double)>& progress, SizeRun& run) {
  const RunOptions& options = setting_.plan.run;
  constexpr std::uint64_t kUntilTold = std::uint64_t{1} << 62;
  StreamJob job{.op = test_.op,
                .type = &type_,
                .shape = shape,
                .messages = options.iterations ? shape.WholeUnits(*options.iterations) : kUntilTold,
                .at_least = shape.Unit(),
                .most_inline = setting_.plan.queue.inline_bytes};
  Monitor::Options watch{.duration = std::nullopt,
                         .stall_timeout = milliseconds(options.stall_timeout_ms),
                         .progress = progress};
  if (!options.iterations) watch.duration = milliseconds(options.duration_ms);
  const StreamRun stream = Stream(job, watch, &run.samples);
  run.inline_used = UsesInline(worker_->endpoint(), job);
  run.start_ticks = stream.loop.start_ticks;
  run.window_seconds = setting_.site.clock.Seconds(stream.loop.start_ticks, stream.loop.end_ticks);
  run.messages = stream.messages;
  run.messages_per_queue_pair = stream.messages_per_queue_pair;
  if (stream.loop.outcome != Outcome::kDone) ThrowWhy(stream.loop);
}

StreamRun TestRun::Stream(const StreamJob& job, const Monitor::Options& watch,
                          std::vector<Sample>* samples) {
  std::atomic<bool> finish{false};
  const StopFlags stop{setting_.session.abort_flag(), finish};
  worker_->progress().store(0, std::memory_order_relaxed);
  Monitor monitor(setting_.session, setting_.site.clock, {&worker_->progress()}, finish, watch);
  StreamRun run;
  worker_
      ->Start(Worker::Task([&] {
        run = RunStream(worker_->endpoint(), job, setting_.site.clock, stop, worker_->progress(),
                        [&monitor] { monitor.Start(); });
      }))
      .get();
  std::vector<Sample> taken = monitor.Stop();
  // A run that broke off ended when something last completed, not when that was noticed.
  if (run.loop.outcome != Outcome::kDone && monitor.moved_ticks() > run.loop.start_ticks) {
    run.loop.end_ticks = monitor.moved_ticks();
  }
  if (samples != nullptr) *samples = std::move(taken);
  return run;
}

// Who was passive takes the other's account; a WRITE leaves no trace that its target could count.
void TestRun::ExchangeCounts(SizeRun& run) {
  setting_.step = run.active ? "exchanging results" : "running";
  Session& session = setting_.session;
  session.Send("results", {{"messages", run.messages}, {"window_seconds", run.window_seconds}});
  const json body = session.Receive("results", In(setting_.longest_phase), "its results");
  JsonReader reader(body, "results");
  const std::uint64_t messages = reader.Number("messages", 0, ~std::uint64_t{0});
  const double seconds = reader.Real("window_seconds", 0.0, 1e9);
  reader.Done();
  if (run.active) return;
  run.messages = messages;
  run.window_seconds = seconds;
}

void TestRun::ThrowWhy(const LoopResult& loop) {
  if (loop.outcome == Outcome::kFailed) throw DescribeFailure(loop.failure);
  const std::optional<Error> failure = setting_.session.failure();
  throw failure ? *failure : Error(Blame::kRun, "the run was aborted");
}

}  // namespace rdmabench
