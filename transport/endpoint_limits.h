// What a device allows an endpoint, checked before anything is made; and how its queues share
// completion queues. Part of endpoint.
#pragma once

#include <cstdint>

#include "transport/endpoint.h"

namespace rdmabench {

// The same options. Throws Error(kEnvironment) naming the limit, the number asked and the number
// allowed.
const EndpointOptions& Checked(const Device& device, const EndpointOptions& options);

// Queues of receive requests.
std::uint32_t ReceiveQueues(const EndpointOptions& options);

// Queues that share a completion queue, so that it holds every request of them; the last completion
// queue may have fewer.
std::uint32_t QueuesPerCq(std::uint32_t queues, std::uint32_t depth, std::uint32_t max_cqe);

}  // namespace rdmabench
