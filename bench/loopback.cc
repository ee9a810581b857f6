#include "bench/loopback.h"

#include <algorithm>
#include <string>

#include "bench/credit.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

// A device whose receive queues hold all messages of a count.
Device OpenFake(const ReceiveShape& receive, std::uint32_t queue_pairs) {
  fake::FakeDevice device;
  device.max_qp_wr = std::max(device.max_qp_wr, receive.depth);
  device.max_cqe = std::max(device.max_cqe, receive.depth * queue_pairs);
  fake::Reset({device});
  return Device::Open("fake0");
}

void Connect(Endpoint& one, Endpoint& other) {
  one.Connect(other.Local());
  other.Connect(one.Local());
}

}  // namespace

Loopback::Loopback(const Options& options)
    : options_(options), device_(OpenFake(options.receive, options.queue_pairs)) {
  const SlotLayout layout = LayoutFor(options_.shape, options_.queue_pairs);
  EndpointOptions endpoint;
  endpoint.type = &FindQpType("rc");
  endpoint.gid = device_.info().ports.front().gids.front();
  endpoint.queue_pairs = options_.queue_pairs;
  endpoint.send_depth = options_.shape.window;
  endpoint.memory_kind = &FindMemoryKind("host");
  endpoint.own_bytes = layout.Bytes();
  client_ = MakeSide(endpoint);
  endpoint.own_bytes = 0;
  endpoint.exposed_bytes = layout.Bytes();
  endpoint.access = options_.op->peer_access;
  if (options_.op->TakesReceives()) {
    endpoint.recv_depth = options_.receive.depth;
    endpoint.exposed_bytes = LayoutFor(options_.receive, options_.queue_pairs).Bytes();
  }
  server_ = MakeSide(endpoint);
  Connect(*client_.endpoint, *server_.endpoint);
  if (!options_.op->TakesReceives()) return;
  Connect(*client_.control, *server_.control);
  PostReceives();
}

Loopback::Side Loopback::MakeSide(const EndpointOptions& options) const {
  Side side;
  side.endpoint = std::make_unique<Endpoint>(device_, options);
  if (!options_.op->TakesReceives()) return side;
  EndpointOptions control = options;
  control.queue_pairs = control.recv_depth = 1;
  control.send_depth = options.queue_pairs;
  control.own_bytes = control.exposed_bytes = CreditBytes(options.queue_pairs);
  control.access = IBV_ACCESS_REMOTE_WRITE;
  side.control = std::make_unique<Endpoint>(device_, control);
  return side;
}

void Loopback::PostReceives() {
  const SlotLayout layout = LayoutFor(options_.receive, options_.queue_pairs);
  const Endpoint& endpoint = *server_.endpoint;
  for (std::uint32_t i = 0; i < options_.queue_pairs; ++i) {
    rings_.emplace_back(options_.receive, layout,
                        ReceiveRing::Place{.queue = i,
                                           .first_slot = std::uint64_t{i} * options_.receive.depth,
                                           .memory = {.addr = endpoint.exposed_addr(),
                                                      .key = endpoint.memory().lkey()},
                                           .qp = endpoint.queue_pairs()[i].get()});
    Check(rings_.back().Fill(), "cannot post receive requests");
  }
}

JobRun Loopback::Send(std::uint64_t messages) {
  return RunOn(client_, {.streams = true}, messages, RunJob);
}

JobRun Loopback::Take(std::uint64_t messages) {
  return RunOn(server_, {.sinks = true}, messages, RunJob);
}

JobRun Loopback::Ping(std::uint64_t messages, const Run& run) {
  return RunOn(client_, {.pings = true}, messages, run);
}

JobRun Loopback::RunOn(const Side& side, Duty duty, std::uint64_t messages, const Run& run) {
  expected_ = messages * options_.queue_pairs;
  const Bench bench{.endpoint = *side.endpoint,
                    .control = side.control.get(),
                    .rings = rings_,
                    .clock = clock_,
                    .stop = {abort_, finish_},
                    .progress = progress_,
                    .expected = expected_,
                    .opening = [] {},
                    .sent = [](std::uint64_t) {}};
  const Job job{.op = options_.op,
                .type = &FindQpType("rc"),
                .duty = duty,
                .shape = options_.shape,
                .receive = options_.receive,
                .numbering = options_.numbering,
                .messages = messages};
  return run(bench, job);
}

}  // namespace rdmabench
