// What a plan may not ask for, beyond the ranges of its fields.
#include <algorithm>
#include <string>
#include <string_view>

#include "bench/arrivals.h"
#include "bench/memory_rules.h"
#include "bench/open_loop.h"
#include "bench/plan.h"
#include "bench/test.h"
#include "transport/device_info.h"
#include "transport/gid.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

// A test with its rows, as the rules see it.
struct Case {
  const TestPlan& plan;
  const Test& test;
  const Op& op;
  const QueueOptions& queue = plan.queue;
  const RunOptions& run = plan.run;

  bool IsLatency() const { return test.metric == Metric::kLatency; }
  bool PollsMemory() const { return IsLatency() && op.reply == Reply::kMemory; }
  bool HasRate() const { return run.rate.bits_per_second || run.rate.messages_per_second; }
  bool HasSlo() const { return run.slo_percentile.has_value(); }
};

struct Rule {
  bool (*is_broken)(const Case&);
  std::string_view options;  // the one that does not go …
  std::string_view with;     // … with what; empty: with the test
  std::string_view remedy;
  bool needs = false;  // it is the absence of `with` that it does not go with
};

constexpr std::string_view kCmRemedy =
    "rdma_cm chooses the path; leave one of them out (--tos reaches rdma_cm)";
std::uint32_t DefaultHopLimit() { return LinkOptions().hop_limit; }
std::vector<std::uint64_t> NoFlowLabels() { return LinkOptions().flow_labels; }

constexpr Rule kRules[] = {
    {[](const Case& c) { return c.queue.threads > c.queue.queue_pairs; }, "--threads",
     "fewer queue pairs (--qp)",
     "each thread needs a queue pair: lower the one or raise the other"},
    {[](const Case& c) { return c.plan.link.flow_labels.size() > c.queue.queue_pairs; },
     "--flow-label", "fewer queue pairs (--qp)",
     "each label needs a queue pair: leave some out, or raise --qp"},
    {[](const Case& c) { return c.queue.bidirectional && c.queue.reversed; }, "--bidirectional",
     "--reversed", "both directions are measured anyway; leave --reversed out"},
    {[](const Case& c) { return c.IsLatency() && c.queue.bidirectional; }, "--bidirectional", "",
     "a round trip has both directions; leave it out"},
    {[](const Case& c) { return c.IsLatency() && c.queue.post_list != 1; }, "--post-list", "",
     "one message is under way at a time; leave it out"},
    {[](const Case& c) { return c.IsLatency() && c.queue.signal_every; }, "--cq-mod", "",
     "one message is under way at a time; leave it out"},
    {[](const Case& c) { return !c.IsLatency() && !c.run.rate_sweep.empty(); }, "--rate-sweep", "",
     "it is about latency at a rate: use a latency test"},
    {[](const Case& c) { return !c.IsLatency() && c.HasSlo(); }, "--slo", "",
     "it is about latency at a rate: use a latency test"},
    {[](const Case& c) { return c.HasRate() && !c.run.rate_sweep.empty(); }, "--rate-sweep",
     "--rate", "leave one of them out"},
    {[](const Case& c) { return c.HasRate() && c.HasSlo(); }, "--slo", "--rate",
     "it finds the rate; --rate-sweep bounds it"},
    {[](const Case& c) { return c.run.until_interrupted && c.run.HasSearch(); }, "--run-infinitely",
     "several rates", "give one with --rate"},
    {[](const Case& c) { return c.HasSlo() && !c.run.slo_ns; }, "run.slo_percentile", "run.slo_ns",
     "give both", true},
    {[](const Case& c) { return c.run.slo_ns && !c.HasSlo(); }, "run.slo_ns", "run.slo_percentile",
     "give both", true},
    {[](const Case& c) { return c.run.arrival != Even::kName && !c.run.IsPaced(); }, "--arrival",
     "--rate", "give the rate at which messages arrive, or leave it out", true},
    {[](const Case& c) { return c.run.arrival_seed && c.run.arrival != Poisson::kName; },
     "--arrival-seed", "--arrival poisson", "leave it out: nothing else is random", true},
    {[](const Case& c) { return !c.IsLatency() && c.run.percentiles != RunOptions().percentiles; },
     "--percentiles", "", "they are of latency tests"},
    {[](const Case& c) { return c.run.burst && !c.run.IsPaced(); }, "--burst", "--rate",
     "give the rate that the bursts have to add up to, or leave it out", true},
    {[](const Case& c) { return c.run.rate.bits_per_second && c.run.rate.messages_per_second; },
     "a rate in bits", "a rate in messages", "give one of them"},
    {[](const Case& c) { return c.queue.use_srq && !c.op.TakesReceives(); }, "--use-srq", "",
     "its peer posts no receive requests"},
    {[](const Case& c) { return c.queue.recv_depth && !c.op.TakesReceives(); }, "--rx-depth", "",
     "its peer posts no receive requests"},
    {[](const Case& c) { return c.queue.recv_post_list && !c.op.TakesReceives(); },
     "--recv-post-list", "", "its peer posts no receive requests"},
    {[](const Case& c) {
       return c.queue.recv_post_list && c.queue.recv_depth &&
              *c.queue.recv_post_list > *c.queue.recv_depth;
     },
     "--recv-post-list", "a smaller --rx-depth", "lower the one or raise the other"},
    {[](const Case& c) {
       return c.queue.recv_post_list && c.queue.recv_depth &&
              *c.queue.recv_depth % *c.queue.recv_post_list != 0;
     },
     "--rx-depth", "a --recv-post-list that does not divide it",
     "make the depth a multiple of the list"},
    {[](const Case& c) { return c.run.burst.value_or(0) % c.queue.post_list != 0; }, "--burst",
     "a --post-list that does not divide it", "make the burst a multiple of the list"},
    {[](const Case& c) {
       return c.queue.use_srq && c.IsLatency() && c.queue.threads != c.queue.queue_pairs;
     },
     "--use-srq", "several queue pairs a thread in a latency test",
     "use as many --threads as --qp, or no shared receive queue"},
    {[](const Case& c) { return c.queue.read_depth && !c.op.IsBoundByReadDepth(); }, "--outs", "",
     "it bounds READs and atomics only"},
    {[](const Case& c) { return c.queue.inline_bytes.value_or(0) > 0 && !c.op.inline_ok; },
     "--inline-size", "", "no payload travels with its requests"},
    {[](const Case& c) { return c.queue.events && c.PollsMemory(); }, "--events", "",
     "it polls memory, which makes no completion events"},
    {[](const Case& c) { return c.queue.completion_vector != 0 && !c.queue.events; }, "--vector",
     "--events", "give --events, or leave it out", true},
    {[](const Case& c) { return c.queue.rdma_cm && c.plan.link.gid_type; }, "--gid-type",
     "--rdma-cm", kCmRemedy},
    {[](const Case& c) { return c.queue.rdma_cm && c.plan.link.service_level != 0; }, "--sl",
     "--rdma-cm", kCmRemedy},
    {[](const Case& c) { return c.queue.rdma_cm && c.plan.link.flow_labels != NoFlowLabels(); },
     "--flow-label", "--rdma-cm", kCmRemedy},
    {[](const Case& c) { return c.queue.rdma_cm && c.plan.link.hop_limit != DefaultHopLimit(); },
     "--hop-limit", "--rdma-cm", kCmRemedy},
    {[](const Case& c) { return c.queue.rdma_cm && c.plan.link.pkey_index != 0; }, "--pkey-index",
     "--rdma-cm", kCmRemedy},
    {[](const Case& c) { return c.run.until_interrupted && c.run.iterations; }, "--run-infinitely",
     "--iters", "leave one of them out"},
    {[](const Case& c) { return c.run.until_interrupted && c.queue.reversed; }, "--run-infinitely",
     "--reversed", "the client's user ends the run, and the client only answers"},
    {[](const Case& c) { return c.run.until_interrupted && c.run.message_bytes.size() > 1; },
     "--run-infinitely", "several sizes", "give one size"},
    {[](const Case& c) { return c.run.until_ci_percent && c.run.iterations; }, "--until", "--iters",
     "leave one of them out"},
    {[](const Case& c) { return c.run.until_ci_percent && c.run.until_interrupted; }, "--until",
     "--run-infinitely", "leave one of them out; --max-time allows up to a day"},
    {[](const Case& c) { return c.run.until_ci_percent && c.IsLatency() && c.run.IsPaced(); },
     "--until", "a rate in a latency test",
     "the rate of round trips is then the planned one, and says nothing of latency; give "
     "--duration"},
    {[](const Case& c) { return c.run.runs > 1 && c.run.HasSearch(); }, "--runs",
     "--rate-sweep or --slo", "each has a result for each of several rates; leave one of them out"},
    {[](const Case& c) { return c.run.max_time_ms && !c.run.until_ci_percent; }, "--max-time",
     "--until", "give --until ci=PERCENT%, or --duration for a fixed time", true},
    {[](const Case& c) { return c.run.runs > 1 && c.run.until_interrupted; }, "--runs",
     "--run-infinitely", "give the runs a length"},
    {[](const Case& c) { return c.run.warmup_max_ms.value_or(~0ULL) < c.run.warmup_ms; },
     "--warmup-max", "a longer --warmup", "raise the one or lower the other"},
    {[](const Case& c) { return c.run.all_sizes && !c.run.message_bytes.empty(); }, "--all",
     "--size", "leave one of them out"},
    {[](const Case& c) { return c.run.all_sizes && c.op.fixed_size != 0; }, "--all", "",
     "its messages have one size only"},
    {[](const Case& c) { return c.run.all_sizes && c.run.until_interrupted; }, "--all",
     "--run-infinitely", "give one size"},
    {[](const Case& c) {
       return c.run.verify && c.queue.use_srq && c.op.peer_access == 0 &&
              c.queue.threads != c.queue.queue_pairs;
     },
     "--verify", "--use-srq of several queue pairs a thread",
     "use as many --threads as --qp, or no shared receive queue"},
    {[](const Case& c) { return c.run.verify && c.run.until_ci_percent; }, "--verify", "--until",
     "the rate of a verified run is not the fabric's; leave one of them out"},
    {[](const Case& c) { return c.run.verify && c.IsLatency() && c.HasRate(); }, "--verify",
     "a rate in a latency test",
     "there a message may be sent before the one before it is answered: leave --rate out"},
    {[](const Case& c) { return c.run.verify_seed && !c.run.verify; }, "--verify-seed", "--verify",
     "give --verify, or leave it out", true},
    {[](const Case& c) {
       return c.PollsMemory() && c.plan.memory.relaxed_ordering.value_or(false);
     },
     "--relaxed-ordering on", "", "it polls memory, which has to be written in order"},
};

constexpr std::uint64_t kLargestMtuBytes = 4096;

[[noreturn]] void Refuse(const std::string& message, const std::string& remedy) {
  throw Error(Blame::kUsage, message, remedy);
}

void ValidateSizes(const Case& c) {
  const bool is_one_packet = FindQpType(c.queue.qp_type).OneMtuAMessage();
  for (const std::uint64_t bytes : c.run.message_bytes) {
    if (is_one_packet && bytes > kLargestMtuBytes) {
      Refuse(
          "--size " + std::to_string(bytes) + " does not go with --connection " + c.queue.qp_type,
          "a message is one packet there: up to the MTU, which is 4096 at most");
    }
    if (c.op.fixed_size != 0 && bytes != c.op.fixed_size) {
      Refuse("--size " + std::to_string(bytes) + " does not go with " + c.test.name,
             "its messages have " + std::to_string(c.op.fixed_size) + " bytes; leave --size out");
    }
  }
}

void ValidateDepths(const QueueOptions& queue) {
  if (queue.send_depth && queue.post_list > *queue.send_depth) {
    Refuse("--post-list " + std::to_string(queue.post_list) + " is more than --tx-depth " +
               std::to_string(*queue.send_depth),
           "a post has to fit into the send queue: lower the one or raise the other");
  }
  if (queue.send_depth && queue.signal_every && *queue.signal_every > *queue.send_depth) {
    Refuse(
        "--cq-mod " + std::to_string(*queue.signal_every) + " is more than --tx-depth " +
            std::to_string(*queue.send_depth),
        "a full send queue has to contain a signalled request: lower the one or raise the other");
  }
}

void ValidatePercentiles(const std::vector<double>& percents) {
  if (percents.empty()) Refuse("--percentiles lists none", "give one, such as 50");
  for (std::size_t i = 0; i < percents.size(); ++i) {
    const std::string name = report::PercentileName(percents[i]);
    if (!report::IsPercentile(percents[i])) {
      Refuse("--percentiles has " + name + ", which has more than seven decimals",
             "they are told to 0.0000001 percent");
    }
    if (i == 0 || percents[i] > percents[i - 1]) continue;
    Refuse("--percentiles has " + name + " after " + report::PercentileName(percents[i - 1]),
           "list them in ascending order, each once");
  }
}

void ValidateLink(const LinkOptions& link) {
  if (link.mtu_bytes) MtuFromBytes(*link.mtu_bytes);
  if (link.flow_labels.empty()) Refuse("there is no flow label", "give --flow-label, or 0");
  if (!link.gid_type || FindGidType(*link.gid_type)) return;
  Refuse("--gid-type '" + *link.gid_type + "' is not known", "known types: " + GidTypeNames());
}

void ValidateTest(const TestPlan& plan) {
  const Test& test = FindTest(plan.test);
  const QpType& type = FindQpType(plan.queue.qp_type);
  const Case c{plan, test, *test.op};
  if (!IsLegal(c.op, type)) {
    Refuse(plan.test + " does not go with --connection " + std::string(type.name),
           "legal queue pair types for it: " + std::string(c.op.qp_types));
  }
  if (plan.queue.rdma_cm && !type.has_rdma_cm) {
    Refuse("--rdma-cm does not go with --connection " + std::string(type.name),
           "rdma_cm has no service for such queue pairs");
  }
  ValidateMemory(plan);
  ValidateSizes(c);
  ValidateDepths(plan.queue);
  ValidatePlannedTimes(plan);
  ValidateLink(plan.link);
  ValidatePercentiles(plan.run.percentiles);
  for (const Rule& rule : kRules) {
    if (!rule.is_broken(c)) continue;
    std::string message(rule.options);
    message += rule.needs ? " needs " : " does not go with ";
    message += rule.with.empty() ? std::string_view{plan.test} : rule.with;
    Refuse(message, std::string(rule.remedy));
  }
}

void ValidateRemote(const RemoteOptions& remote) {
  std::vector<std::uint64_t> cpus = remote.cpus;
  std::sort(cpus.begin(), cpus.end());
  const auto twice = std::adjacent_find(cpus.begin(), cpus.end());
  if (twice == cpus.end()) return;
  Refuse("--remote-cpus has cpu " + std::to_string(*twice) + " twice", "list each once");
}

}  // namespace

void Validate(const Plan& plan) {
  if (plan.tests.empty()) Refuse("the plan has no test", "name one");
  ValidateRemote(plan.remote);
  for (std::size_t i = 0; i < plan.tests.size(); ++i) {
    const TestPlan& test = plan.tests[i];
    try {
      ValidateTest(test);
    } catch (Error& error) {
      if (plan.tests.size() > 1) {
        error.Precede("test " + std::to_string(i + 1) + " of " + std::to_string(plan.tests.size()) +
                      ", " + test.test);
      }
      throw;
    }
    if (!test.run.until_interrupted || i + 1 == plan.tests.size()) continue;
    Refuse("--run-infinitely does not go with tests after it", "make it the last test");
  }
}

}  // namespace rdmabench
