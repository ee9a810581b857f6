#include "bench/simulation.h"

#include <algorithm>
#include <utility>

#include "bench/answers.h"
#include "bench/channel.h"
#include "bench/credit.h"
#include "bench/echo.h"
#include "bench/job_engines.h"
#include "bench/lanes.h"
#include "bench/ping.h"
#include "bench/sink.h"
#include "bench/stream.h"
#include "bench/turns.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

// Engines take 0 for "not yet".
constexpr std::uint64_t kStartNs = 1'000'000'000;
constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};

// Two hosts, so that each direction has a wire of its own.
std::vector<Device> OpenDevices() {
  fake::Reset({{.name = "fake0", .gids = {{"::ffff:10.0.0.1"}}},
               {.name = "fake1", .gids = {{"::ffff:10.0.0.2"}}}});
  std::vector<Device> devices;
  for (const char* name : {"fake0", "fake1"}) devices.push_back(Device::Open(name));
  return devices;
}

void Connect(Endpoint& one, Endpoint& other) {
  one.Connect(other.Local());
  other.Connect(one.Local());
}

}  // namespace

Simulation::Simulation(const Options& options)
    : options_(options),
      receive_{.depth = options.receive_depth,
               .chain = std::max(options.receive_depth / 4, 1U),
               .slot_bytes = options.shape.message_bytes},
      now_ns_(kStartNs),
      clock_(now_ns_),
      devices_(OpenDevices()),
      near_(MakeSide(devices_[0])),
      far_(MakeSide(devices_[1])),
      expected_(kNotKnown) {
  Connect(*near_.endpoint, *far_.endpoint);
  if (options_.op->TakesReceives()) Connect(*near_.control, *far_.control);
  for (Side* side : {&near_, &far_}) PostReceives(*side);
  fake::Simulate({.now_ns = &now_ns_,
                  .service = [this](std::uint64_t message,
                                    std::uint64_t bytes) { return Serve(message, bytes); },
                  .longest_step_ns = options_.longest_step_ns,
                  .moving_on = [this](std::uint64_t next_ns) { Watch(next_ns); }});
}

Simulation::Side Simulation::MakeSide(const Device& device) const {
  const SlotLayout layout = LayoutFor(options_.shape, options_.queue_pairs);
  EndpointOptions endpoint;
  endpoint.type = &FindQpType("rc");
  endpoint.gid = device.info().ports.front().gids.front();
  endpoint.queue_pairs = options_.queue_pairs;
  endpoint.send_depth = options_.shape.window;
  endpoint.attributes.read_depth = 16;
  endpoint.memory_kind = &FindMemoryKind("host");
  endpoint.own_bytes = endpoint.exposed_bytes = layout.Bytes();
  endpoint.access = options_.op->peer_access;
  Side side;
  if (options_.op->TakesReceives()) {
    endpoint.recv_depth = receive_.depth;
    endpoint.exposed_bytes = LayoutFor(receive_, options_.queue_pairs).Bytes();
    EndpointOptions control = endpoint;
    control.queue_pairs = control.recv_depth = 1;
    control.send_depth = options_.queue_pairs;
    control.own_bytes = control.exposed_bytes = CreditBytes(options_.queue_pairs);
    control.access = IBV_ACCESS_REMOTE_WRITE;
    side.control = std::make_unique<Endpoint>(device, control);
  }
  side.endpoint = std::make_unique<Endpoint>(device, endpoint);
  return side;
}

void Simulation::PostReceives(Side& side) const {
  if (!options_.op->TakesReceives()) return;
  const SlotLayout layout = LayoutFor(receive_, options_.queue_pairs);
  const Endpoint& endpoint = *side.endpoint;
  for (std::uint32_t i = 0; i < options_.queue_pairs; ++i) {
    side.rings.emplace_back(receive_, layout,
                            ReceiveRing::Place{.queue = i,
                                               .first_slot = std::uint64_t{i} * receive_.depth,
                                               .memory = {.addr = endpoint.exposed_addr(),
                                                          .key = endpoint.memory().lkey()},
                                               .qp = endpoint.queue_pairs()[i].get()});
    Check(side.rings.back().Fill(), "cannot post receive requests");
  }
}

void Simulation::Begin() {
  abort_ = finish_ = false;
  progress_ = 0;
  expected_ = kNotKnown;
  finish_ns_ = now_ns_ + options_.duration_ns.value_or(kNotKnown - now_ns_);
  next_sample_ns_ = now_ns_ + options_.sample_every_ns;
  samples_.clear();
}

fake::Service Simulation::Serve(std::uint64_t message, std::uint64_t bytes) {
  if (options_.post_ns != 0) {
    Watch(now_ns_ + options_.post_ns);
    now_ns_ += options_.post_ns;
  }
  return options_.service(message, bytes);
}

// Does what the session thread does, which looks at moments that have nothing to do with messages.
void Simulation::Watch(std::uint64_t next_ns) {
  for (; next_sample_ns_ < next_ns; next_sample_ns_ += options_.sample_every_ns) {
    samples_.push_back({next_sample_ns_, progress_});
  }
  if (next_ns >= finish_ns_) finish_ = true;
}

Bench Simulation::MakeBench() {
  Begin();
  return {.endpoint = *near_.endpoint,
          .control = near_.control.get(),
          .rings = near_.rings,
          .clock = clock_,
          .stop = {abort_, finish_},
          .progress = progress_,
          .expected = expected_,
          .opening = [] {},
          .sent = [this](std::uint64_t messages) { expected_ = messages; }};
}

Job Simulation::MakeJob(Duty duty, std::uint64_t messages) const {
  return {.op = options_.op,
          .type = &FindQpType("rc"),
          .duty = duty,
          .shape = options_.shape,
          .receive = receive_,
          .messages = messages};
}

JobRun Simulation::Stream(std::uint64_t messages) {
  const Job job = MakeJob({.streams = true}, messages);
  return options_.op->TakesReceives() ? StreamAndSink(job) : RunJob(MakeBench(), job);
}

JobRun Simulation::StreamAndSink(const Job& job) {
  Begin();
  for (ReceiveRing& ring : far_.rings) {
    Check(ring.TopUp(), "cannot post receive requests again");
    ring.Restart();
  }
  Credits::Restart(*near_.control, options_.queue_pairs);
  rdmabench::Stream<VerbsChannel, Unstamped, Credits, FollowTurns> stream(
      {.shape = job.shape, .messages = job.messages}, MakeLanes(*near_.endpoint, job),
      Pointers(near_.endpoint->send_cqs()), {},
      Credits(*near_.control, options_.queue_pairs,
              {.depth = receive_.depth, .post_list = job.shape.post_list}, clock_),
      FollowTurns(options_.queue_pairs, job.shape, clock_));
  CreditReturn credit(*far_.control, options_.queue_pairs);
  credit.Restart();
  Sink<VerbsChannel, CreditReturn, Uninspected> sink({.rings = far_.rings,
                                                      .cqs = Pointers(far_.endpoint->recv_cqs()),
                                                      .expected = expected_,
                                                      .clock = clock_},
                                                     std::move(credit));
  const auto done = [&](std::size_t index) {
    if (index == 0) expected_ = stream.completed();
  };
  const auto result = Drive(clock_, BusyPoll{}, {abort_, finish_}, progress_, done, stream, sink);
  JobRun run;
  run.loop = result.loop();
  run.sent.messages = stream.completed();
  run.sent.per_queue_pair = stream.CompletedPerLane();
  run.sent.turns = stream.probe().turns();
  run.sent.start_ticks = run.loop.start_ticks;
  run.sent.end_ticks = result.done_ticks[0];
  run.received.messages = sink.completed();
  run.received.bytes = sink.bytes();
  run.received.start_ticks = sink.first_ticks();
  run.received.end_ticks = sink.last_ticks();
  return run;
}

JobRun Simulation::Ping(std::uint64_t messages, report::Histogram& round_trips) {
  const Job job = MakeJob({.pings = true}, messages);
  const auto receives = [](Side& side) {
    return ByReceive(side.rings, Pointers(side.endpoint->recv_cqs()));
  };
  switch (options_.op->reply) {
    case Reply::kMemory:
      return PingAndEcho(job, round_trips, WatchMemory(*near_.endpoint, job),
                         WatchMemory(*far_.endpoint, job));
    case Reply::kReceive:
      return PingAndEcho(job, round_trips, receives(near_), receives(far_));
    case Reply::kCompletion:
      break;
  }
  Bench bench = MakeBench();
  bench.round_trips = &round_trips;
  return RunJob(bench, job);
}

template <class Answer>
JobRun Simulation::PingAndEcho(const Job& job, report::Histogram& round_trips, Answer at_ping,
                               Answer at_echo) {
  Begin();
  rdmabench::Ping<VerbsChannel, Answer, report::Histogram> ping(
      {.messages = job.messages}, MakeLatencyLanes(*near_.endpoint, job), std::move(at_ping),
      clock_, round_trips);
  Echo<VerbsChannel, Answer> echo(MakeLatencyLanes(*far_.endpoint, job), std::move(at_echo),
                                  expected_);
  const auto done = [&](std::size_t index) {
    if (index == 0) expected_ = ping.sent();
  };
  JobRun run;
  run.loop = Drive(clock_, BusyPoll{}, {abort_, finish_}, progress_, done, ping, echo).loop();
  run.sent.messages = ping.completed();
  run.sent.per_queue_pair = ping.counts();
  run.sent.start_ticks = ping.first_ticks();
  run.sent.end_ticks = ping.last_ticks();
  run.received.messages = echo.completed();
  return run;
}

report::Measurement Simulation::Measure(const JobRun& run) {
  measured_.clear();
  for (const Sample& sample : samples_) {
    if (sample.ticks < run.sent.start_ticks) continue;
    measured_.push_back({clock_.Seconds(run.sent.start_ticks, sample.ticks), sample.messages});
  }
  return {.messages = run.sent.messages,
          .bytes = run.sent.messages * options_.shape.message_bytes,
          .window_seconds = clock_.Seconds(run.sent.start_ticks, run.sent.end_ticks),
          .samples = measured_,
          .rules = {.signal_every = options_.shape.signal_every}};
}

}  // namespace rdmabench
