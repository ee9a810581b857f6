// What a session's process tells of its run: one event when a test begins, one for each size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/plan.h"
#include "bench/side_run.h"
#include "transport/event.h"

namespace rdmabench {

// "plan: write_bw rc ×3, send_lat ud": what the client wants, `accepted` of it. Without peer, as
// the next ones.
Event PlanAgreed(const Plan& plan, std::size_t accepted);

// "write_bw rc begins, 4 queue pairs, 3 sizes, run 1 of 2". `test` is of one device.
Event TestStarted(const TestPlan& test, std::size_t devices, std::size_t sizes,
                  std::uint32_t number);

// "write_bw rc 65536 B: 1000 messages, 12.345 Gb/s", by the client's account where it has one, else
// by this side's. Absent where nothing was sent.
std::optional<Event> SizeMeasured(const TestPlan& test, std::uint64_t message_bytes,
                                  const SideRun& own, const SideRun& client);

}  // namespace rdmabench
