#include "cmd/given.h"

#include <algorithm>

#include "bench/test.h"
#include "transport/error.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

constexpr std::string_view kLeaveOut = "leave one of them out";
constexpr std::string_view kNotAcknowledged =
    "nothing is acknowledged there, so nothing is sent again; leave it out";

// "--connection ud", where that type of queue pair waits for no acknowledgement; else empty.
std::string Unacknowledged(const TestPlan& test, const Given&) {
  const QpType& type = FindQpType(test.queue.qp_type);
  if ((type.rts_mask & IBV_QP_TIMEOUT) != 0) return {};
  return "--connection " + std::string(type.name);
}

// The test, where it measures no round trips; else empty.
std::string NoLatency(const TestPlan& test, const Given&) {
  return FindTest(test.test).metric == Metric::kLatency ? "" : test.test;
}

struct Rule {
  std::string_view option;
  // What it does not go with; empty: all is well.
  std::string (*clash)(const TestPlan&, const Given&);
  std::string_view remedy;
  std::string_view relation = "does not go with";
};

constexpr Rule kRules[] = {
    {"--duration",
     [](const TestPlan& test, const Given&) {
       return std::string(test.run.iterations ? "--iters" : "");
     },
     kLeaveOut},
    {"--duration",
     [](const TestPlan& test, const Given&) {
       return std::string(test.run.until_interrupted ? "--run-infinitely" : "");
     },
     kLeaveOut},
    {"--duration",
     [](const TestPlan& test, const Given&) {
       return std::string(test.run.until_ci_percent ? "--until" : "");
     },
     "--max-time bounds it; leave --duration out"},
    {"--dscp",
     [](const TestPlan&, const Given& given) {
       return std::string(given.Has("--tclass") ? "--tclass" : "");
     },
     "both are the traffic class; leave one of them out"},
    {"--vector",
     [](const TestPlan&, const Given& given) {
       return std::string(given.Has("--events") ? "" : "--events");
     },
     "give --events, or leave it out", "needs"},
    {"--percentiles", NoLatency, "they are of latency tests; leave it out"},
    {"--reply-timeout", NoLatency, "replies are awaited in latency tests; leave it out"},
    {"--reply-timeout",
     [](const TestPlan& test, const Given&) {
       const QpType& type = FindQpType(test.queue.qp_type);
       return type.loses ? std::string() : "--connection " + std::string(type.name);
     },
     "no reply gets lost there; leave it out"},
    {"--qp-timeout", Unacknowledged, kNotAcknowledged},
    {"--retry-count", Unacknowledged, kNotAcknowledged},
    {"--rnr-retry", Unacknowledged, kNotAcknowledged},
};

}  // namespace

bool Given::Has(std::string_view name) const {
  return std::find(options.begin(), options.end(), name) != options.end();
}

void CheckGiven(const TestPlan& test, const Given& given) {
  for (const Rule& rule : kRules) {
    if (!given.Has(rule.option)) continue;
    const std::string clash = rule.clash(test, given);
    if (clash.empty()) continue;
    throw Error(Blame::kUsage,
                std::string(rule.option) + " " + std::string(rule.relation) + " " + clash,
                std::string(rule.remedy));
  }
}

}  // namespace rdmabench
