#include "bench/loopback.h"

#include "bench/shape.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

Device OpenFake() {
  fake::Reset();
  return Device::Open("fake0");
}

}  // namespace

Loopback::Loopback(const RingShape& shape, std::uint32_t queue_pairs)
    : shape_(shape), device_(OpenFake()) {
  const Op& op = FindOp("write");
  EndpointOptions options;
  options.type = &FindQpType("rc");
  options.gid = device_.info().ports.front().gids.front();
  options.queue_pairs = queue_pairs;
  options.send_depth = shape.window;
  options.memory_kind = &FindMemoryKind("host");
  options.memory_bytes = LayoutFor(shape, queue_pairs).Bytes();
  client_ = std::make_unique<Endpoint>(device_, options);
  options.access = op.peer_access;
  server_ = std::make_unique<Endpoint>(device_, options);
  client_->Connect(server_->Local());
  server_->Connect(client_->Local());
}

StreamJob Loopback::Job(std::uint64_t messages) const {
  return {.op = &FindOp("write"),
          .type = &FindQpType("rc"),
          .shape = shape_,
          .messages = messages,
          .at_least = 0};
}

}  // namespace rdmabench
