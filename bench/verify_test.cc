// --verify over fake verbs: what arrives as it was sent passes on every test and queue pair type,
// and each fault in a message's content that can happen to it is found and named.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/content_check.h"
#include "bench/run_fixture.h"
#include "bench/test.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

using fake::Damage;
using testing::HasSubstr;

// Messages of a queue pair: more than two laps, and no multiple of one.
constexpr std::uint64_t kCount = 300;
constexpr std::uint64_t kRoundTrips = 50;
constexpr std::uint32_t kSeed = 12345;

struct Shape {
  std::string_view name;
  void (*ask)(TestPlan&);
};

constexpr Shape kShapes[] = {
    {"plain", [](TestPlan&) {}},
    {"no_warmup", [](TestPlan& plan) { plan.run.warmup_ms = 0; }},
    {"bidirectional",
     [](TestPlan& plan) {
       plan.queue.bidirectional = true;
       plan.queue.queue_pairs = 2;
     }},
    {"reversed", [](TestPlan& plan) { plan.queue.reversed = true; }},
    {"threads",
     [](TestPlan& plan) {
       plan.queue.queue_pairs = 5;
       plan.queue.threads = 2;
     }},
    {"srq", [](TestPlan& plan) { plan.queue.use_srq = true; }},
    {"few_receives",
     [](TestPlan& plan) {
       plan.queue.recv_depth = 6;
       plan.queue.recv_post_list = 3;
     }},
    {"lists",
     [](TestPlan& plan) {
       plan.queue.post_list = 6;
       plan.queue.signal_every = 4;
     }},
    {"events", [](TestPlan& plan) { plan.queue.events = true; }},
    {"inline_off", [](TestPlan& plan) { plan.queue.inline_bytes = 0; }},
    {"by_time",
     [](TestPlan& plan) {
       plan.run.iterations.reset();
       plan.run.duration_ms = 20;
     }},
    {"paced", [](TestPlan& plan) { plan.run.rate.messages_per_second = 50'000; }},
};

struct Case {
  std::string name;
  TestPlan plan;
};

bool IsValid(const TestPlan& plan) {
  try {
    Validate({.tests = {plan}});
    return true;
  } catch (const Error&) {
    return false;
  }
}

TestPlan VerifiedPlan(const rdmabench::Test& test, const QpType& type) {
  TestPlan plan;
  plan.test = test.name;
  plan.queue.qp_type = type.name;
  if (test.op->fixed_size == 0) plan.run.message_bytes = {1, 2, 8, 61, 1000};
  plan.run.iterations = test.metric == Metric::kLatency ? kRoundTrips : kCount;
  plan.run.warmup_ms = 2;
  plan.run.verify = true;
  plan.run.verify_seed = kSeed;
  return plan;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const rdmabench::Test& test : Tests()) {
    for (const QpType& type : QpTypes()) {
      if (!IsLegal(*test.op, type)) continue;
      for (const Shape& shape : kShapes) {
        TestPlan plan = VerifiedPlan(test, type);
        shape.ask(plan);
        if (!IsValid(plan)) continue;
        cases.push_back(
            {test.name + "_" + std::string(type.name) + "_" + std::string(shape.name), plan});
      }
    }
  }
  return cases;
}

// Of all directions; the result's own count may be of the window that both share.
std::uint64_t Moved(const report::Result& result) {
  std::uint64_t messages = 0;
  for (const report::Direction& direction : result.traffic) messages += direction.sent.messages;
  return messages;
}

// A datagram that finds no receive request is lost, which is no failure: a host that is busy lets
// the credits come late.
std::uint64_t Arrived(const report::Result& result) {
  std::uint64_t messages = Moved(result);
  for (const report::Direction& direction : result.traffic) {
    if (direction.delivery) messages -= direction.delivery->lost.value_or(0);
  }
  return messages;
}

// How many messages have to be looked at.
std::uint64_t Checked(const report::Result& result, const Op& op) {
  const bool answers = result.latency && op.reply != Reply::kCompletion;
  const std::uint64_t messages = Arrived(result) * (answers ? 2 : 1);
  // Of atomic operations the words that they have left, too: of each message in laps, else of each
  // queue pair.
  if (!op.IsAtomic()) return messages;
  return messages + (result.latency ? result.queue_pairs : messages);
}

class VerifyRun : public RunFixture {
 protected:
  report::Result Measure(const TestPlan& plan) {
    Ending ending = Run({.tests = {plan}});
    EXPECT_FALSE(ending.client) << ending.client->what();
    EXPECT_FALSE(ending.server) << ending.server->what();
    EXPECT_FALSE(ending.report.results.empty());
    report_ = std::move(ending.report);
    return report_.results.empty() ? report::Result{} : report_.results.back();
  }
  static const report::Check* ContentCheck(const report::Result& result) {
    const auto found =
        std::find_if(result.checks.begin(), result.checks.end(),
                     [](const report::Check& check) { return check.name == kContentCheck; });
    return found == result.checks.end() ? nullptr : &*found;
  }

  report::Report report_;
};

class VerifyMatrix : public VerifyRun, public testing::WithParamInterface<Case> {};

TEST_P(VerifyMatrix, PassesWhatArrivesAsItWasSent) {
  Measure(GetParam().plan);
  for (const report::Result& result : report_.results) {
    SCOPED_TRACE(std::to_string(result.message_bytes) + " bytes");
    ASSERT_TRUE(result.verification);
    EXPECT_EQ(result.verification->seed, kSeed);
    EXPECT_EQ(result.verification->bad_messages, 0U)
        << ContentCheck(result)->text << result.verification->first_bad->finding;
    EXPECT_EQ(result.verification->missing_messages, 0U);
    EXPECT_EQ(result.verification->checked_messages,
              Checked(result, *FindTest(GetParam().plan.test).op));
    for (const report::Check& check : result.checks) {
      // Such short runs need not overlap.
      if (check.name == "directions_overlap") continue;
      EXPECT_TRUE(check.ok) << check.name << ": " << check.text;
    }
    EXPECT_NE(ContentCheck(result), nullptr);
    if (GetParam().plan.run.iterations) {
      const std::uint64_t directions = result.bidirectional ? 2 : 1;
      EXPECT_EQ(Moved(result),
                directions * result.queue_pairs * *result.effective.iterations_per_queue_pair);
    }
  }
  EXPECT_FALSE(fake::AnyOverrun());
}

INSTANTIATE_TEST_SUITE_P(All, VerifyMatrix, testing::ValuesIn(Cases()),
                         [](const auto& row) { return row.param.name; });

struct Fault {
  Damage damage;
  std::string_view name;
  std::string_view finding;
  // Whether it can happen in this test: to the content, and so that it is not what a queue pair
  // type that loses messages may do with them.
  bool (*applies)(const rdmabench::Test& test, const QpType& type);
};

bool IsLatency(const rdmabench::Test& test) { return test.metric == Metric::kLatency; }
// The latency of WRITE is polled in the last byte: what has not come there is not seen.
bool IsSeen(const rdmabench::Test& test) {
  return !IsLatency(test) || test.op->reply != Reply::kMemory;
}
// Whether a message of another number may stand in its place, as far as a SEND's receiver knows.
bool MayBeAnother(const rdmabench::Test& test, const QpType& type) {
  return type.loses && (IsLatency(test) || test.op->peer_access == 0);
}

constexpr Fault kFaults[] = {
    {Damage::kFlipBit, "flipped_bit", "bit_flipped",
     [](const rdmabench::Test&, const QpType&) { return true; }},
    // One message of a latency test is under way at a time, so none can change places.
    {Damage::kSwap, "swap", "other_message",
     [](const rdmabench::Test& test, const QpType& type) {
       return !IsLatency(test) && !MayBeAnother(test, type);
     }},
    // A READ of a latency test fetches the same each time.
    {Damage::kRepeat, "repeat", "other_message",
     [](const rdmabench::Test& test, const QpType& type) {
       const bool same = IsLatency(test) && test.op->name == "read";
       return IsSeen(test) && !same && !MayBeAnother(test, type);
     }},
    {Damage::kTruncate, "truncation", "truncated",
     [](const rdmabench::Test& test, const QpType& type) {
       // Of a WRITE on uc nobody says that it is complete.
       const bool is_told = !type.loses || test.op->TakesReceives();
       return IsSeen(test) && is_told && !test.op->IsAtomic();
     }},
    {Damage::kStale, "stale", "missing",
     [](const rdmabench::Test& test, const QpType& type) {
       return IsSeen(test) && (!type.loses || test.op->TakesReceives());
     }},
    {Damage::kTwice, "twice", "miscounted",
     [](const rdmabench::Test& test, const QpType&) { return test.op->IsAtomic(); }},
};

struct FaultCase {
  std::string name;
  TestPlan plan;
  Fault fault;
};

std::vector<FaultCase> FaultCases() {
  std::vector<FaultCase> cases;
  for (const rdmabench::Test& test : Tests()) {
    for (const QpType& type : QpTypes()) {
      if (!IsLegal(*test.op, type)) continue;
      for (const Fault& fault : kFaults) {
        if (!fault.applies(test, type)) continue;
        TestPlan plan = VerifiedPlan(test, type);
        // Half of it is whole words, as what packets carry is.
        if (test.op->fixed_size == 0) plan.run.message_bytes = {1008};
        plan.run.warmup_ms = 0;
        cases.push_back({test.name + "_" + std::string(type.name) + "_" + std::string(fault.name),
                         plan, fault});
      }
    }
  }
  return cases;
}

std::string FindingOf(const FaultCase& given) {
  const rdmabench::Test& test = FindTest(given.plan.test);
  const std::string finding(given.fault.finding);
  // Another word has no number, but in a latency test is the one before.
  if (test.op->IsAtomic() && finding == "other_message") {
    return IsLatency(test) ? "miscounted" : "corrupted";
  }
  // On uc it is known that the message has come, not how much of it.
  const bool is_counted = given.plan.queue.qp_type == "uc" && test.name == "write_imm_bw";
  return is_counted && finding == "truncated" ? "missing" : finding;
}

class VerifyFault : public VerifyRun, public testing::WithParamInterface<FaultCase> {};

TEST_P(VerifyFault, IsFoundAndNamed) {
  const FaultCase& given = GetParam();
  const Op& op = *FindTest(given.plan.test).op;
  fake::Inject({.damage = given.fault.damage, .damage_at_message = 6});
  const report::Result result = Measure(given.plan);
  ASSERT_TRUE(result.verification);
  ASSERT_TRUE(result.verification->first_bad);
  const report::BadMessage& bad = *result.verification->first_bad;
  EXPECT_EQ(bad.finding, FindingOf(given));
  // What an atomic operation finds depends on all before it.
  if (given.fault.damage != Damage::kTwice || !result.latency) {
    const bool answers = result.latency && op.reply != Reply::kCompletion;
    EXPECT_EQ(result.verification->bad_messages, given.fault.damage == Damage::kSwap ? 2U : 1U);
    EXPECT_EQ(bad.message, answers ? 2U : 5U) << "the sixth on its way";
  }
  EXPECT_EQ(bad.queue_pair, 0U);
  const report::Check* check = ContentCheck(result);
  ASSERT_NE(check, nullptr);
  EXPECT_FALSE(check->ok);
  EXPECT_THAT(check->text, HasSubstr("message " + std::to_string(bad.message)));
}

INSTANTIATE_TEST_SUITE_P(All, VerifyFault, testing::ValuesIn(FaultCases()),
                         [](const auto& row) { return row.param.name; });

class VerifyLoss : public VerifyRun, public testing::WithParamInterface<Case> {};

// Of messages that may get lost those that have arrived have to be right, and no more.
TEST_P(VerifyLoss, IsNoFailure) {
  fake::Inject({.lose_at_message = 7});
  const report::Result result = Measure(GetParam().plan);
  ASSERT_TRUE(result.verification);
  EXPECT_EQ(result.verification->bad_messages, 0U) << ContentCheck(result)->text;
  EXPECT_GT(result.verification->checked_messages, 0U);
  const bool in_laps = !result.verification->in_timed_loop;
  EXPECT_EQ(result.verification->missing_messages, in_laps ? 1U : 0U);
}

std::vector<Case> LossCases() {
  std::vector<Case> cases;
  for (const rdmabench::Test& test : Tests()) {
    for (const QpType& type : QpTypes()) {
      if (!IsLegal(*test.op, type) || !type.loses) continue;
      for (const std::uint64_t bytes : {2, 64}) {
        TestPlan plan = VerifiedPlan(test, type);
        plan.run.message_bytes = {bytes};
        plan.run.iterations = 20;
        plan.run.warmup_ms = 0;
        plan.run.reply_timeout_ms = 100;
        cases.push_back(
            {test.name + "_" + std::string(type.name) + "_" + std::to_string(bytes), plan});
      }
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, VerifyLoss, testing::ValuesIn(LossCases()),
                         [](const auto& row) { return row.param.name; });

TEST_F(VerifyRun, ChoosesASeedOfItsOwnEachTime) {
  TestPlan plan = VerifiedPlan(FindTest("send_bw"), FindQpType("rc"));
  plan.run.verify_seed.reset();
  const std::uint32_t first = Measure(plan).verification->seed;
  EXPECT_NE(Measure(plan).verification->seed, first);
}

TEST_F(VerifyRun, SaysNothingWhereItWasNotAskedFor) {
  TestPlan plan = VerifiedPlan(FindTest("send_bw"), FindQpType("rc"));
  plan.run.verify = false;
  plan.run.verify_seed.reset();
  const report::Result result = Measure(plan);
  EXPECT_FALSE(result.verification);
  EXPECT_EQ(ContentCheck(result), nullptr);
}

}  // namespace
}  // namespace rdmabench
