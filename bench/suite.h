// A suite is a plan that people write: it has defaults for all tests, and lists that stand for
// every combination of their values.
//
//   {
//     "name": "scaling",                          // optional, as is "comment"; for readers only
//     "skip_illegal": true,                       // leave out what an op and a type do not allow
//     "defaults": {"run": {"message_bytes": [64, 4096]}},
//     "tests": [
//       {"test": ["write_bw", "send_bw"], "queue": {"qp_type": ["rc", "ud"], "queue_pairs": [1,
//       8]}}
//     ]
//   }
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace rdmabench {

// The plan document, as PlanFromJson() reads it, that `suite` stands for. A plan document stands
// for itself.
//
// A test's own field wins over the defaults', one by one. Of the combinations that a test stands
// for, "test" varies slowest, then queue.qp_type, then the other fields in alphabetical order of
// group and name, the last one fastest. ("link.timeout" varies slower than "queue.queue_pairs": an
// object's fields have no order of their own in JSON.) message_bytes, flow_labels and percentiles
// are lists anyway, so that only a list of lists stands for several of them.
//
// Combinations whose op and queue pair type do not go together are refused, or with "skip_illegal"
// left out; `left_out` then gets their number.
//
// Throws Error(kUsage) with the place in the suite, such as "tests[1].queue.qp_type[0]", for what
// is no suite, for fields that the plan does not know or values that it does not allow, in the
// defaults as well, and for more than kMostTests tests, before they are made.
nlohmann::json ExpandSuite(const nlohmann::json& suite, std::uint64_t* left_out = nullptr);

}  // namespace rdmabench
