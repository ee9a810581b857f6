// Two connected endpoints on one fake device: what loops are run on without a session, for
// benchmarks and counts.
#pragma once

#include <cstdint>
#include <memory>

#include "bench/run_stream.h"
#include "transport/device.h"
#include "transport/endpoint.h"

namespace rdmabench {

class Loopback {
 public:
  Loopback(const RingShape& shape, std::uint32_t queue_pairs);

  const Endpoint& client() const { return *client_; }
  // RDMA WRITE of so many messages a queue pair.
  StreamJob Job(std::uint64_t messages) const;

 private:
  RingShape shape_;
  Device device_;
  std::unique_ptr<Endpoint> client_;
  std::unique_ptr<Endpoint> server_;
};

}  // namespace rdmabench
