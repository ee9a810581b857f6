// How many bytes a queue pair takes inline. No attribute of the device says it and no table of
// devices knows it, and it depends on the queue pair, so that creation has to try.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <optional>

namespace rdmabench {

// The most below `refused` with which a queue pair of these attributes can be made; 0 when none is.
std::uint32_t MostInline(ibv_pd* pd, const ibv_qp_init_attr& attributes, std::uint32_t refused);

// Of an rc queue pair for one request of one piece; deeper queues may get less. Makes about a dozen
// throw-away queue pairs. Absent where the device makes none.
std::optional<std::uint32_t> ProbeInline(ibv_context* context);

}  // namespace rdmabench
