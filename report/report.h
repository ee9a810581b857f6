// What one invocation of rdmabench found, as plain values: the only input of every output format.
// An absent optional means "not known", and its key is then absent from the JSON; so is that of an
// empty text in an optional. Texts may hold any bytes: the formats make them safe to print.
// schema.json says of each key what it means. Every member has a default, for designated
// initializers that leave it out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/failure.h"
#include "report/host.h"

namespace rdmabench::report {

enum class Status {
  kRunning,   // has not ended yet; what was measured so far
  kComplete,  // everything that the plan asks for was measured
  kPartial,   // some results are there, then an error or an interruption
  kFailed,    // no result
};

struct Tool {
  std::string name = "rdmabench";
  std::string version = {};
  std::string commit = {};
};

// What was agreed between the sides or derived from the machines, where the plan only says what was
// asked for.
struct Effective {
  std::uint32_t mtu_bytes = 0;
  std::uint32_t send_depth = 0;
  std::optional<std::uint32_t> recv_depth = {};
  std::optional<std::uint32_t> recv_post_list = {};
  std::optional<std::uint32_t> read_depth = {};
  std::uint32_t post_list = 1;
  std::uint32_t signal_every = 1;
  std::uint32_t inline_bytes = 0;  // what the queue pair granted
  bool inline_used = false;
  std::optional<std::uint64_t> iterations_per_queue_pair = {};
  std::optional<double> duration_seconds = {};
  std::uint64_t warmup_messages = 0;
  double warmup_seconds = 0.0;
  std::optional<bool> warmup_steady = {};  // absent: there was none
  // Of a bandwidth test with a rate: each sender's, and how it is kept, as in OpenLoop.
  std::optional<double> planned_messages_per_second = {};
  std::optional<std::uint32_t> burst = {};
  std::optional<std::string> arrival = {};
  std::optional<std::uint64_t> arrival_seed = {};
  std::string access = "sequential";  // how requests go through their slots
  std::uint64_t working_set_bytes = 0;
  std::uint64_t working_set_slots = 1;
  std::uint32_t completion_queues = 1;
  bool relaxed_ordering = false;
  bool mr_per_qp = false;  // each queue pair has the memory registered for itself
  std::optional<Gid> client_gid = {};
  std::optional<Gid> server_gid = {};
};

// The memory of one side's messages.
struct Memory {
  std::string kind = {};
  std::string registration = {};  // the way it was registered by
  std::optional<std::uint64_t> page_bytes = {};
};

struct Memories {
  std::optional<Memory> client = {};
  std::optional<Memory> server = {};
};

// How the payload rate varied over equal intervals of the window.
struct Spread {
  std::size_t interval_count = 0;
  double interval_seconds = 0.0;
  double min_bytes_per_second = 0.0;
  double peak_bytes_per_second = 0.0;
  double stdev_bytes_per_second = 0.0;  // of the sample: divided by interval_count - 1
  // 95 % interval of the mean, from batch means.
  std::size_t batch_count = 0;
  double batch_correlation = 0.0;  // of a batch with the next one
  double ci95_low_bytes_per_second = 0.0;
  double ci95_high_bytes_per_second = 0.0;
};

struct Bandwidth {
  double bytes_per_second = 0.0;  // payload
  double messages_per_second = 0.0;
  std::optional<Spread> spread = {};
};

// Samples from first to last nanosecond.
struct Bucket {
  double from_ns = 0.0;
  double to_ns = 0.0;
  std::uint64_t count = 0;
};

// A percentile that was asked for; of too few samples it is not known.
struct Percentile {
  struct Interval {
    double low_ns = 0.0;
    double high_ns = 0.0;
  };

  double percent = 0.0;  // 99.9
  std::optional<double> ns = {};
  std::optional<Interval> ci95 = {};  // 95 % interval of it
};

struct Latency {
  std::string basis = {};  // "half_round_trip", "round_trip"
  std::uint64_t samples = 0;
  std::optional<std::uint64_t> kept_samples = {};  // one by one; absent: not asked for
  double min_ns = 0.0;
  double mean_ns = 0.0;
  double stdev_ns = 0.0;                     // of the sample: divided by samples - 1
  std::vector<Percentile> percentiles = {};  // ascending
  double max_ns = 0.0;
  std::uint64_t lost_replies = 0;
  std::vector<Bucket> histogram = {};
};

// Messages that were sent at planned times, without waiting for answers. The response times, from
// the planned time on, are the result's latency.
struct OpenLoop {
  std::string arrival = {};                // "const", "poisson"
  std::optional<std::uint64_t> seed = {};  // of random arrivals
  std::uint64_t planned_messages = 0;
  double offered_messages_per_second = 0.0;  // by the plan
  double achieved_messages_per_second = 0.0;
  Latency service = {};  // from the post
  // Messages that were due and had not been sent.
  std::uint64_t backlog_max = 0;
  std::uint64_t backlog_end = 0;  // when the plan ended
  bool saturated = false;
};

// How long a place in the send queue takes from the completion that frees it to the next one, and
// how much of that the host takes to fill the queue again; means over messages.
struct QueueTurn {
  double turn_ns = 0.0;
  double refill_ns = 0.0;
};

// What one side saw of one direction.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double window_seconds = 0.0;
  std::optional<std::string> completion_opcode = {};  // "rdma_write", "recv"
  std::vector<std::uint64_t> messages_per_queue_pair = {};
  std::optional<QueueTurn> queue_turn = {};  // of a sender whose queue was kept full
};

// What the sequence numbers of the messages that have arrived tell.
struct Arrivals {
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;        // arrived after one that was sent later
  std::uint64_t furthest_behind = 0;  // of these: how far below the highest number at most
  std::uint64_t late = 0;             // so far below that it is not known which of these they are

  bool operator==(const Arrivals&) const = default;
  Arrivals& operator+=(const Arrivals& other) {
    duplicated += other.duplicated;
    reordered += other.reordered;
    furthest_behind = std::max(furthest_behind, other.furthest_behind);
    late += other.late;
    return *this;
  }
};

// What became of the messages of one direction, where they may get lost and nobody is told.
struct Delivery {
  std::optional<std::uint64_t> lost = {};  // absent: not known, nothing counts what arrives
  double loss_ratio = 0.0;                 // of those that were sent
  std::optional<Arrivals> arrivals = {};   // absent: messages are not numbered
};

// Messages in one direction, as both ends account for them.
struct Direction {
  std::size_t from = 0;  // indexes into Report::hosts
  std::size_t to = 1;
  Traffic sent = {};
  std::optional<Traffic> received = {};   // absent: nothing at the other end counts them
  std::optional<Delivery> delivery = {};  // absent: acknowledged
};

// A message whose content is not what was sent.
struct BadMessage {
  std::size_t host = 0;  // index into Report::hosts: where it was found
  std::uint32_t queue_pair = 0;
  std::uint64_t message = 0;       // of that queue pair, from 0
  std::uint64_t offset_bytes = 0;  // of the first byte that is wrong
  std::string expected_hex = {};   // from there on, as they lie in memory
  std::string found_hex = {};
  std::string finding = {};  // "bit_flipped", "missing", … as schema.json has them
  std::optional<std::uint64_t> found_message = {};  // the one whose content stands there
};

// What came of comparing each message with what was sent.
struct Verification {
  std::uint32_t seed = 0;
  bool in_timed_loop = false;          // else between laps of it
  std::uint64_t checked_messages = 0;  // all that arrived, those that are bad included
  std::uint64_t bad_messages = 0;
  std::uint64_t missing_messages = 0;  // of which not all has arrived, where that may be
  std::optional<BadMessage> first_bad = {};

  // What was found elsewhere in the same run.
  Verification& operator+=(const Verification& other) {
    checked_messages += other.checked_messages;
    bad_messages += other.bad_messages;
    missing_messages += other.missing_messages;
    if (!first_bad) first_bad = other.first_bad;
    return *this;
  }
};

struct Interval {
  double start_seconds = 0.0;  // since the window opened
  double seconds = 0.0;
  std::uint64_t messages = 0;
};

// The server's monotonic clock less the client's.
struct ClockOffset {
  double seconds = 0.0;
  double error_seconds = 0.0;  // at most
};

// When both directions of a bidirectional test were under way.
struct SharedWindow {
  double seconds = 0.0;
  double share = 0.0;  // of the longer window
  bool used = false;   // the result's messages and rates are those in it
};

// A window that ends when the 95 % interval of the mean rate is narrow enough.
struct Until {
  double ci_percent = 0.0;  // half of the interval, of the mean: as asked for
  double max_seconds = 0.0;
  bool reached = false;
  std::optional<double> half_width_percent = {};  // when the window was ended
};

struct Check {
  std::string name = {};
  bool ok = false;
  // The unit in the name: "sent_messages".
  std::vector<std::pair<std::string, double>> figures = {};
  std::string text = {};  // the finding in a sentence
};

using CounterDeltas = std::vector<std::pair<std::string, std::int64_t>>;

struct Counters {
  CounterDeltas client = {};
  CounterDeltas server = {};
};

// What went over one device of each side, where several were used at once.
struct Rail {
  std::string client_device = {};
  std::string server_device = {};
  std::uint32_t mtu_bytes = 0;
  std::optional<Gid> client_gid = {};
  std::optional<Gid> server_gid = {};
  std::uint64_t sent_messages = 0;
  std::uint64_t messages = 0;  // as the result counts them
  std::uint64_t bytes = 0;
  std::optional<double> bytes_per_second = {};  // where the result has a rate
  std::optional<double> messages_per_second = {};
  Counters counters = {};
};

struct CpuTime {
  double user_seconds = 0.0;
  double system_seconds = 0.0;

  double Sum() const { return user_seconds + system_seconds; }
};

// Processor time of one side.
struct CpuCost {
  std::optional<CpuTime> workers = {};  // in the window; absent: none had anything to do
  // Around the window, from one barrier to the exchange of results.
  double elapsed_seconds = 0.0;
  CpuTime process = {};
  std::optional<double> host_softirq_seconds = {};  // of the whole machine
  // What the processor counted of the workers in the window, by name: "user_cycles"; and why the
  // others are not there.
  std::vector<std::pair<std::string, std::uint64_t>> events = {};
  std::string why_no_events = {};
};

struct Cpu {
  std::optional<CpuCost> client = {};
  std::optional<CpuCost> server = {};
};

// What bounds the rate of a result, by one cause.
struct Bound {
  std::string name = {};                        // "link", "pcie_client", "pcie_server", "window"
  std::optional<double> bytes_per_second = {};  // payload; of both directions where both are used
  std::string text = {};                        // what it follows from, or why it is not known
};

struct Bounds {
  std::vector<Bound> limits = {};
  std::optional<std::size_t> lowest = {};     // index of the lowest known one
  std::optional<double> achieved_share = {};  // of the lowest
};

// One measured size of one test, in one run.
struct Result {
  std::size_t plan_index = 0;
  std::optional<std::uint32_t> run = {};  // from 1; absent where there is one run only
  std::string test = {};                  // "write_bw"
  std::string op = {};                    // "write"
  std::string metric = {};                // "bw", "lat"
  std::string qp_type = {};
  std::uint64_t message_bytes = 0;
  std::uint32_t queue_pairs = 1;
  std::uint32_t threads = 1;
  bool bidirectional = false;
  std::size_t from = 0;  // indexes into Report::hosts: who initiates, and where to
  std::size_t to = 1;
  bool complete = true;
  Effective effective = {};
  Memories memory = {};
  double window_seconds = 0.0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::optional<ClockOffset> clock_offset = {};
  std::optional<SharedWindow> shared_window = {};
  std::optional<Until> until = {};
  // By the metric.
  std::optional<Bandwidth> bandwidth = {};
  std::optional<Latency> latency = {};
  std::optional<OpenLoop> open_loop = {};
  std::vector<Interval> intervals = {};
  std::vector<Direction> traffic = {};  // two where both directions were measured
  std::optional<Verification> verification = {};
  std::vector<Check> checks = {};
  Counters counters = {};
  std::vector<Rail> rails = {};  // absent where there is one device
  Cpu cpu = {};
  std::optional<Bounds> bounds = {};  // of a rate
};

// The answer to the question at which rate a latency objective holds. Its probes are results.
struct Slo {
  std::size_t plan_index = 0;
  std::string test = {};
  std::uint64_t message_bytes = 0;
  double percentile = 0.0;  // 99.9
  double most_ns = 0.0;
  std::size_t probes = 0;
  std::optional<double> highest_held_messages_per_second = {};   // absent: at none
  std::optional<std::size_t> highest_held_result = {};           // the one measured at it
  std::optional<double> lowest_failed_messages_per_second = {};  // absent: at all that were tried
};

struct Report {
  Tool tool = {};
  std::string started_at = {};  // ISO 8601, UTC: "2025-06-01T12:00:00Z"
  Status status = Status::kComplete;
  std::optional<Failure> error = {};
  std::string plan_json = {};  // the plan as JSON text; may be empty
  std::vector<Host> hosts = {};
  std::vector<Result> results = {};
  std::vector<Slo> slo = {};
  std::vector<TestFailure> failures = {};
  std::vector<std::string> warnings = {};
};

}  // namespace rdmabench::report
