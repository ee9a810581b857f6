// What was asked for: the plan crosses the wire and stands in the report; plain values, never
// changed by a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/memory_options.h"
#include "bench/rate.h"
#include "report/percentile.h"
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
inline constexpr Range kThreads{1, 1024};
inline constexpr Range kReadDepth{1, 255};
inline constexpr Range kVector{0, 65535};
inline constexpr Range kTimeout{0, 31};
inline constexpr Range kServiceLevel{0, 15};
inline constexpr Range kOctet{0, 255};
inline constexpr Range kFlowLabel{0, (1 << 20) - 1};
inline constexpr Range kPkeyIndex{0, 65535};
inline constexpr Range kBurst{1, 1 << 20};
inline constexpr Range kRateBits{1, 10'000'000'000'000};
inline constexpr Range kRateMessages{1, 10'000'000'000};
inline constexpr Range kSeed{0, ~std::uint64_t{0}};
inline constexpr Range kPercentile{0, 100};
inline constexpr Range kSloNanoseconds{1, 3'600'000'000'000};
inline constexpr std::size_t kMostRates = 1024;
inline constexpr Range kRetry{0, 7};
inline constexpr Range kMilliseconds{0, 86'400'000};
inline constexpr Range kPeerTimeout{100, 600'000};
inline constexpr Range kReplyTimeout{1, 60'000};
inline constexpr Range kRuns{1, 1000};
inline constexpr Range kCiPercent{0, 50};
inline constexpr Range kNumaNode{0, 65535};
inline constexpr Range kWorkingSetBytes{1, std::uint64_t{1} << 40};
inline constexpr Range kAlignBytes{1, 4096};  // a page, where every kind of memory begins
inline constexpr Range kOffsetBytes{0, 65536};
inline constexpr Range kVerifySeed{0, 0xffffffff};
inline constexpr std::size_t kMostSizes = 4096;
inline constexpr std::size_t kMostFlowLabels = 16384;
inline constexpr std::size_t kMostTests = 4096;
inline constexpr std::size_t kMostPercentiles = 64;
inline constexpr std::size_t kMostRails = 64;  // devices that a side uses at once

struct QueueOptions {
  std::string qp_type = "rc";
  std::uint32_t queue_pairs = 1;
  std::uint32_t threads = 1;                // workers a side, to which queue pairs are dealt
  std::optional<std::uint32_t> send_depth;  // absent: ShapeFor()'s choice, by size and device
  std::optional<std::uint32_t> recv_depth;  // absent: ReceiveShapeFor()'s choice
  std::uint32_t post_list = 1;
  std::optional<std::uint32_t> recv_post_list;  // absent: ReceiveShapeFor()'s choice
  std::optional<std::uint32_t> signal_every;    // absent: ShapeFor()'s choice
  std::optional<std::uint32_t> inline_bytes;    // absent: inline where the queue pair grants it
  std::optional<std::uint32_t> read_depth;      // absent: what both devices allow
  bool use_srq = false;
  bool events = false;  // sleep on a completion channel instead of polling
  std::uint32_t completion_vector = 0;
  bool bidirectional = false;
  bool reversed = false;  // the server initiates
  bool rdma_cm = false;   // queue pairs are connected by rdma_cm
};

struct LinkOptions {
  std::optional<std::uint32_t> mtu_bytes;  // absent: the smaller active one
  std::uint32_t timeout = 14;
  std::uint32_t retry_count = 7;
  std::uint32_t rnr_retry = 6;  // 7 would retry for ever, and a run must end
  std::uint32_t service_level = 0;
  std::uint32_t traffic_class = 0;
  std::vector<std::uint64_t> flow_labels = {0};  // dealt over the queue pairs
  std::uint32_t hop_limit = 64;
  std::uint32_t pkey_index = 0;
  std::optional<std::string> gid_type;  // absent: the best pair of any type
  std::optional<bool> ipv6;             // true: IPv6 GIDs only; false: IPv4-mapped ones only
};

struct RunOptions {
  std::vector<std::uint64_t> message_bytes;  // empty: SizesFor()'s choice
  bool all_sizes = false;                    // every power of two that goes, instead
  std::optional<std::uint64_t> iterations;   // per queue pair; absent: by duration
  std::uint64_t duration_ms = 2000;
  bool until_interrupted = false;  // no duration: the client's user ends it
  // Half of the mean's 95 % interval, of the mean; then duration_ms does not count.
  std::optional<double> until_ci_percent;
  std::optional<std::uint64_t> max_time_ms;  // with it; absent: kMaxTimeMs
  std::uint32_t runs = 1;                    // each on queue pairs of its own
  Rate rate;                                 // of each side that initiates
  std::optional<std::uint32_t> burst;  // messages that a rate sends at once; absent: one post's
  std::string arrival = "const";       // of messages at a rate: one of kArrivals
  std::optional<std::uint64_t> arrival_seed;  // absent: 1; each further run of a test has the next
  // Of latency tests, in messages a second. Instead of one rate several, a result each; or a search
  // for the highest one at which this percentile of the response times is not above this.
  std::vector<std::uint64_t> rate_sweep;
  std::optional<double> slo_percentile;
  std::optional<std::uint64_t> slo_ns;
  std::vector<double> percentiles = {report::kDefaultPercents.begin(),
                                     report::kDefaultPercents.end()};  // of latency, in percent
  std::uint64_t reply_timeout_ms = 1000;       // after which a reply on uc or ud counts as lost
  std::uint64_t warmup_ms = 200;               // at least
  std::optional<std::uint64_t> warmup_max_ms;  // while the rate is not steady; absent: ten times
  std::uint64_t stall_timeout_ms = 10'000;
  std::uint64_t peer_timeout_ms = 1500;
  bool verify = false;                       // compare what arrives with what was sent
  std::optional<std::uint32_t> verify_seed;  // of the messages' content; absent: random

  bool HasSearch() const { return !rate_sweep.empty() || slo_percentile; }
  bool IsPaced() const { return rate.bits_per_second || rate.messages_per_second || HasSearch(); }
  // That a size, at one rate, may take by the plan; 0 where a count ends it.
  std::uint64_t LongestMs() const {
    if (iterations) return 0;
    if (until_ci_percent) return max_time_ms.value_or(kMaxTimeMs);
    return until_interrupted ? kMilliseconds.high : duration_ms;
  }
  std::uint64_t LongestWarmupMs() const {
    return warmup_max_ms.value_or(std::min(kWarmupStretch * warmup_ms, kMilliseconds.high));
  }

  static constexpr std::uint64_t kMaxTimeMs = 60'000;
  static constexpr std::uint64_t kWarmupStretch = 10;
};

struct TestPlan {
  std::string test;
  QueueOptions queue;
  LinkOptions link;
  MemoryOptions memory;
  RunOptions run;
};

// What the client asks of the other side's machine; the server grants it within its own options.
struct RemoteOptions {
  std::vector<std::string> devices = {};        // as Local has them; none: the server's choice
  std::vector<std::uint64_t> cpus = {};         // workers on these; empty: chosen
  std::optional<std::uint32_t> numa_node = {};  // absent: the device's
};

struct Plan {
  std::vector<TestPlan> tests;
  RemoteOptions remote = {};

  // Workers that a side needs at once.
  std::uint32_t MostThreads() const {
    std::uint32_t most = 1;
    for (const TestPlan& test : tests) most = std::max(most, test.queue.threads);
    return most;
  }
};

// Every rule that a single option's range does not express. Throws Error(kUsage) naming both
// options that clash, as they are spelled on the command line; never rewrites one.
void Validate(const Plan& plan);

nlohmann::json PlanToJson(const Plan& plan);
// Reads and validates; throws Error(blame) with the path of the field: kRun for a frame, kUsage for
// a file.
Plan PlanFromJson(const nlohmann::json& json, Blame blame = Blame::kRun);
// The plan of a suite's text, or of a report's; `name` is the text's in errors. Throws
// Error(kUsage).
Plan PlanFromText(std::string_view text, std::string_view name);
// The same of a file; "-" is standard input. Throws Error(kUsage) naming the file.
Plan PlanFromFile(const std::string& path);

}  // namespace rdmabench
