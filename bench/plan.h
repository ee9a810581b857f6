// What was asked for: the plan crosses the wire and stands in the report; plain values, never
// changed by a run.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/error.h"

namespace rdmabench {

// The inclusive bounds of an option: the command line, the plan's JSON and the help text share
// them.
struct Range {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::string ToString() const;  // "1 to 16384"
};

inline constexpr Range kMessageBytes{1, std::uint64_t{1} << 30};
inline constexpr Range kIterations{1, std::uint64_t{1} << 40};
inline constexpr Range kQueuePairs{1, 16384};
inline constexpr Range kDepth{1, 32768};
inline constexpr Range kPostList{1, 32768};
inline constexpr Range kSignalEvery{1, 32768};
inline constexpr Range kInlineBytes{0, 4096};
inline constexpr Range kTimeout{0, 31};
inline constexpr Range kRetry{0, 7};
inline constexpr Range kMilliseconds{0, 86'400'000};
inline constexpr Range kPeerTimeout{100, 600'000};
inline constexpr std::size_t kMostSizes = 4096;
inline constexpr std::size_t kMostTests = 4096;

struct QueueOptions {
  std::string qp_type = "rc";
  std::uint32_t queue_pairs = 1;
  std::optional<std::uint32_t> send_depth;  // absent: ShapeFor()'s choice, by size and device
  std::uint32_t post_list = 1;
  std::optional<std::uint32_t> signal_every;  // absent: ShapeFor()'s choice
  std::optional<std::uint32_t> inline_bytes;  // absent: inline where the queue pair grants it
};

struct LinkOptions {
  std::optional<std::uint32_t> mtu_bytes;  // absent: the smaller active one
  std::uint32_t timeout = 14;
  std::uint32_t retry_count = 7;
};

struct MemoryOptions {
  std::string kind = "host";
  std::optional<bool> relaxed_ordering;  // absent: on, except where latency polls memory
};

struct RunOptions {
  std::vector<std::uint64_t> message_bytes;
  std::optional<std::uint64_t> iterations;  // per queue pair; absent: by duration
  std::uint64_t duration_ms = 2000;
  std::uint64_t warmup_ms = 200;
  std::uint64_t stall_timeout_ms = 10'000;
  std::uint64_t peer_timeout_ms = 1500;
};

struct TestPlan {
  std::string test;
  QueueOptions queue;
  LinkOptions link;
  MemoryOptions memory;
  RunOptions run;
};

struct Plan {
  std::vector<TestPlan> tests;
};

// Every rule that a single option's range does not express. Throws Error(kUsage) naming both
// options that clash, as they are spelled on the command line; never rewrites one.
void Validate(const Plan& plan);

nlohmann::json PlanToJson(const Plan& plan);
// Reads and validates; throws Error(blame) with the path of the field: kRun for a frame, kUsage for
// a file.
Plan PlanFromJson(const nlohmann::json& json, Blame blame = Blame::kRun);
// The plan of a suite file, or of a report. Throws Error(kUsage) naming the file.
Plan PlanFromFile(const std::string& path);

}  // namespace rdmabench
