#include "cmd/test_options.h"

#include <string>
#include <vector>

#include "cmd/option_group.h"
#include "cmd/rate_options.h"
#include "report/percentile.h"
#include "transport/error.h"
#include "transport/gid.h"
#include "transport/joined.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

std::vector<std::uint64_t> ParseNumbers(const std::string& option, const std::string& text,
                                        Range range) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& element : SplitList(text)) {
    numbers.push_back(ParseNumber(option, element, range));
  }
  return numbers;
}

std::string DefaultPercents() {
  return Joined(
      RunOptions().percentiles,
      [](double percent) { return report::PercentileName(percent).substr(1); }, ",");
}

void AddShapeOptions(CLI::App& app, TestPlan& test) {
  QueueOptions& queue = test.queue;
  OptionGroup group(app, "Shape");
  group.Add("-c,--connection", "TYPE", "queue pair type: " + Joined(QpTypes(), &QpType::name),
            [&queue](const std::string& text) { queue.qp_type = FindQpType(text).name; });
  group.Number("-q,--qp", queue.queue_pairs, kQueuePairs, "queue pairs");
  group.Number("--threads", queue.threads, kThreads,
               "worker threads a side, to which the queue pairs are dealt");
  group.Flag("-b,--bidirectional", queue.bidirectional, "both sides initiate");
  group.Flag("--reversed", queue.reversed, "the server initiates");
  group.Flag("-e,--events", queue.events, "sleep until completions come instead of polling");
  group.Number("-X,--vector", queue.completion_vector, kVector,
               "completion vector of the events, with --events");
  group.Flag("-R,--rdma-cm", queue.rdma_cm, "connect the queue pairs by rdma_cm");
}

void AddQueueOptions(CLI::App& app, TestPlan& test) {
  QueueOptions& queue = test.queue;
  OptionGroup group(app, "Queues");
  group.Number("-t,--tx-depth", queue.send_depth, kDepth,
               "requests in flight a queue pair; default 128, less for large messages");
  group.Number("-r,--rx-depth", queue.recv_depth, kDepth,
               "receive requests a queue; default 512, less for many queue pairs");
  group.Number("-l,--post-list", queue.post_list, kPostList, "requests a post");
  group.Number("--recv-post-list", queue.recv_post_list, kPostList,
               "receive requests a post; default: a quarter of the queue");
  group.Number("-Q,--cq-mod", queue.signal_every, kSignalEvery,
               "requests a completion; default: by size and depth");
  group.Number("-I,--inline-size", queue.inline_bytes, kInlineBytes,
               "bytes sent inline; default: what the queue pair grants");
  group.Number("-o,--outs", queue.read_depth, kReadDepth,
               "outstanding READs and atomics a queue pair; default: what both devices allow");
  group.Flag("--use-srq", queue.use_srq, "one receive queue for all queue pairs of a thread");
  group.Add("--relaxed-ordering", "on|off",
            "PCIe relaxed ordering of the memory; default on, off where memory is polled",
            [&test](const std::string& text) {
              if (text != "on" && text != "off") {
                throw Error(Blame::kUsage,
                            "--relaxed-ordering '" + text + "' is neither on nor off",
                            "give on or off, or leave it out");
              }
              test.memory.relaxed_ordering = text == "on";
            });
}

void AddPathOptions(CLI::App& app, LinkOptions& link) {
  constexpr Range kDscp{0, 63};
  constexpr unsigned kDscpShift = 2;  // the lower bits are ECN's
  OptionGroup group(app, "Path");
  group.Add(
      "-m,--mtu", "N", "path MTU: 256, 512, 1024, 2048 or 4096; default: the smaller active one",
      [&link](const std::string& text) {
        link.mtu_bytes = static_cast<std::uint32_t>(ParseNumber("--mtu", text, Range{256, 4096}));
      });
  group.Number("-S,--sl", link.service_level, kServiceLevel, "service level");
  group.Number("-T,--tos,--tclass", link.traffic_class, kOctet, "traffic class");
  group.Add("--dscp", "N", "traffic class by its DSCP (" + kDscp.ToString() + ")",
            [&link, kDscp](const std::string& text) {
              link.traffic_class =
                  static_cast<std::uint32_t>(ParseNumber("--dscp", text, kDscp) << kDscpShift);
            });
  group.Add(
      "--flow-label", "LIST",
      "flow labels, such as 1,2,3, dealt over the queue pairs (" + kFlowLabel.ToString() + ")",
      [&link](const std::string& text) {
        link.flow_labels = ParseNumbers("--flow-label", text, kFlowLabel);
      });
  group.Number("-L,--hop-limit", link.hop_limit, kOctet, "hop limit; default 64");
  group.Number("--pkey-index", link.pkey_index, kPkeyIndex, "index of the partition key");
  group.Number("-u,--qp-timeout", link.timeout, kTimeout,
               "acknowledgement timeout, 4.096 us x 2^N; default 14");
  group.Number("--retry-count", link.retry_count, kRetry,
               "tries before a transport error; default 7");
  group.Number("--rnr-retry", link.rnr_retry, kRetry,
               "tries while the receiver is not ready; 7: for ever; default 6");
  group.Text("--gid-type", link.gid_type, "TYPE", "GIDs of this type only: " + GidTypeNames());
  group.Call("--ipv6", "IPv6 GIDs only", [&link] { link.ipv6 = true; });
}

void AddSizeOptions(CLI::App& app, RunOptions& run) {
  OptionGroup group(app, "Messages");
  group.Add("-s,--size", "SIZES",
            "message sizes: 64,4K,1M; 64:1M doubles; 64:1K:+64 adds; 1:1M:*4 multiplies; default "
            "64K for bw (ud: the MTU), 2 for lat, 8 for atomics",
            [&run](const std::string& text) {
              run.message_bytes = ParseSizes("--size", text, kMessageBytes);
            });
  group.Flag("-a,--all", run.all_sizes,
             "every power of two from 2 bytes to 8 MiB, or to the MTU on ud");
}

// "ci=1%"
double ParseUntil(const std::string& text) {
  constexpr std::string_view kKind = "ci=";
  if (!text.starts_with(kKind)) {
    throw Error(Blame::kUsage, "--until '" + text + "' is not known",
                "--until ci=1% measures until the mean is known to within 1 percent");
  }
  return ParseShare("--until ci", text.substr(kKind.size()), kCiPercent);
}

void AddLengthOptions(CLI::App& app, RunOptions& run) {
  OptionGroup group(app, "Length");
  group.Number("-n,--iters", run.iterations, kIterations, "messages a queue pair");
  group.Time("-D,--duration", run.duration_ms, Range{1, kMilliseconds.high},
             "time to measure: 2, 0.5, 200ms, 5m; default 2 s");
  group.Flag("--run-infinitely", run.until_interrupted,
             "measure until Ctrl-C, with a line each --interval, then report");
  group.Add("--until", "ci=PERCENT%",
            "measure until half the 95 % interval of the mean rate is at most so much of it; "
            "latency tests: of the rate of round trips",
            [&run](const std::string& text) { run.until_ci_percent = ParseUntil(text); });
  group.Time("--max-time", run.max_time_ms, Range{1, kMilliseconds.high},
             "with --until: no longer than this, each size and run; default 60 s");
  group.Number("--runs", run.runs, kRuns,
               "fresh runs of all sizes, each on new queue pairs; gives the median of them");
  group.Time("--warmup", run.warmup_ms, kMilliseconds,
             "not counted: at least so long and a full queue, then until the rate is steady; 0: "
             "none; default 200ms");
  group.Time("--warmup-max", run.warmup_max_ms, kMilliseconds,
             "end of a warm-up that is not steady; default: ten times --warmup");
  group.Add("--percentiles", "LIST",
            "of latency, each where ten samples lie beyond it; default " + DefaultPercents(),
            [&run](const std::string& text) {
              run.percentiles.clear();
              for (const std::string& element : SplitList(text)) {
                run.percentiles.push_back(ParsePercent("--percentiles", element));
              }
            });
  group.Time("--reply-timeout", run.reply_timeout_ms, kReplyTimeout,
             "uc and ud: a reply that takes longer counts as lost; default 1 s");
  group.Time("--stall-timeout", run.stall_timeout_ms, Range{100, kMilliseconds.high},
             "end the run when nothing completes for so long; default 10 s");
  group.Time("--peer-timeout", run.peer_timeout_ms, kPeerTimeout,
             "a peer silent for so long counts as dead; default 1500ms");
}

void AddVerifyOptions(CLI::App& app, RunOptions& run) {
  OptionGroup group(app, "Integrity");
  group.Flag("--verify", run.verify,
             "compare every message with what was sent; one that differs: exit code 4; rates and "
             "times then are not those of the fabric");
  group.Number("--verify-seed", run.verify_seed, kVerifySeed,
               "with --verify: seed of the messages' content; default: random, and reported");
}

}  // namespace

void AddTestOptions(CLI::App& app, TestPlan& test) {
  AddSizeOptions(app, test.run);
  AddLengthOptions(app, test.run);
  AddRateOptions(app, test.run);
  AddShapeOptions(app, test);
  AddQueueOptions(app, test);
  AddPathOptions(app, test.link);
  AddVerifyOptions(app, test.run);
}

}  // namespace rdmabench
