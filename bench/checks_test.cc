#include "bench/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rdmabench {
namespace {

using Check = report::Check;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::vector<std::string> Names(const std::vector<Check>& checks) {
  std::vector<std::string> names;
  for (const Check& check : checks) names.push_back(check.name);
  return names;
}

const Check* Find(const std::vector<Check>& checks, const std::string& name) {
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const Check& check) { return check.name == name; });
  return found == checks.end() ? nullptr : &*found;
}

// A result in which everything agrees; each test spoils one thing.
class ChecksTest : public testing::Test {
 protected:
  ChecksTest() {
    hosts_ = {{.role = "client", .name = "a"}, {.role = "server", .name = "b"}};
    for (report::Host& host : hosts_) {
      host.device = report::Device{.name = "rxe0", .driver = "rdma_rxe"};
    }
    result_.test = "send_bw";
    result_.qp_type = "rc";
    result_.message_bytes = 3000;
    result_.queue_pairs = 1;
    result_.messages = 100;
    result_.bytes = 300'000;
    result_.window_seconds = 2.0;
    result_.effective.mtu_bytes = 1024;
    result_.effective.send_depth = 1;
    result_.bandwidth = report::Bandwidth{.bytes_per_second = 150'000, .messages_per_second = 50};
    report::Direction& direction = result_.traffic.emplace_back();
    direction.sent = {.messages = 100,
                      .bytes = 300'000,
                      .window_seconds = 2.0,
                      .completion_opcode = "send",
                      .messages_per_queue_pair = {100}};
    direction.received = direction.sent;
    direction.sent.queue_turn = report::QueueTurn{.turn_ns = 20e6, .refill_ns = 5e6};
    direction.received->completion_opcode = "recv";
    direction.received->window_seconds = 1.99;
    result_.bounds = report::Bounds{.limits = {{"link", 160'000, "1.3 Mb/s"}}, .lowest = 0};
    result_.counters.client = {{"sent_pkts", 310}, {"rcvd_pkts", 100}};
    result_.counters.server = {{"sent_pkts", 100}, {"rcvd_pkts", 305}};
  }

  // A latency result of one queue pair: 100 round trips of 20 us, back to back.
  void MakeLatency() {
    result_.test = "send_lat";
    result_.queue_pairs = 1;
    result_.bandwidth.reset();
    result_.window_seconds = 0.002;
    for (report::Traffic* traffic : {&result_.traffic[0].sent, &*result_.traffic[0].received}) {
      traffic->messages_per_queue_pair = {100};
      traffic->window_seconds = 0.002;
    }
    result_.latency =
        report::Latency{.basis = "half_round_trip", .samples = 100, .mean_ns = 10'000.0};
  }

  std::vector<Check> Checks() const {
    return ChecksOf({.result = result_, .hosts = hosts_, .clock_drift_ppm = drift_ppm_});
  }
  bool Holds(const std::string& name) const {
    const std::vector<Check> checks = Checks();
    const Check* check = Find(checks, name);
    EXPECT_NE(check, nullptr) << name;
    return check != nullptr && check->ok;
  }

  report::Result result_;
  std::vector<report::Host> hosts_;
  std::array<std::optional<double>, 2> drift_ppm_ = {0.5, -3.0};
};

TEST_F(ChecksTest, AllHoldWhereEverythingAgrees) {
  const std::vector<Check> checks = Checks();
  EXPECT_THAT(Names(checks),
              ElementsAre("received_as_sent", "queue_pairs_add_up", "completions_name_the_op",
                          "ports_count_the_packets", "no_errors_counted", "no_congestion_counted",
                          "in_flight_is_the_depth", "windows_agree", "clocks_are_steady",
                          "rate_within_bounds"));
  for (const Check& check : checks) {
    EXPECT_TRUE(check.ok) << check.name;
    EXPECT_EQ(check.text, "") << check.name;
  }
}

TEST_F(ChecksTest, SayNothingOfARunThatWasBrokenOff) {
  result_.complete = false;
  EXPECT_THAT(Checks(), IsEmpty());
}

TEST_F(ChecksTest, SayNothingWhereThereIsOneSourceOnly) {
  result_.test = "write_bw";
  result_.traffic[0].sent.completion_opcode.reset();
  result_.traffic[0].sent.messages_per_queue_pair.clear();
  result_.traffic[0].sent.queue_turn.reset();
  result_.traffic[0].received.reset();
  result_.counters = {};
  drift_ppm_ = {};
  result_.bounds->lowest.reset();
  EXPECT_THAT(Checks(), IsEmpty());
}

struct Fault {
  std::string check;
  std::string what;
  std::function<void(report::Result&, std::array<std::optional<double>, 2>&)> plant;
};

class PlantedFault : public ChecksTest, public testing::WithParamInterface<Fault> {};

TEST_P(PlantedFault, IsFoundByItsCheckAlone) {
  GetParam().plant(result_, drift_ppm_);
  for (const Check& check : Checks()) {
    EXPECT_EQ(check.ok, check.name != GetParam().check) << check.name << ": " << check.text;
    EXPECT_EQ(check.text.empty(), check.ok);
    EXPECT_TRUE(check.ok || !check.figures.empty());
  }
  EXPECT_FALSE(Holds(GetParam().check));
}

using Result = report::Result;
using Drift = std::array<std::optional<double>, 2>;

INSTANTIATE_TEST_SUITE_P(
    All, PlantedFault,
    testing::Values(
        Fault{"received_as_sent", "one_lost",
              [](Result& result, Drift&) {
                result.traffic[0].received->messages = 99;
                result.traffic[0].received->messages_per_queue_pair = {99};
              }},
        Fault{"received_as_sent", "truncated",
              [](Result& result, Drift&) { result.traffic[0].received->bytes -= 1; }},
        Fault{"queue_pairs_add_up", "counted_for_none",
              [](Result& result, Drift&) {
                result.traffic[0].sent.messages_per_queue_pair = {60, 39};
              }},
        Fault{"completions_name_the_op", "another_operation",
              [](Result& result, Drift&) {
                result.traffic[0].sent.completion_opcode = "rdma_write";
              }},
        Fault{"ports_count_the_packets", "too_few_left",
              [](Result& result, Drift&) { result.counters.client[0].second = 299; }},
        Fault{"ports_count_the_packets", "too_few_reached",
              [](Result& result, Drift&) { result.counters.server[1].second = 299; }},
        Fault{"no_errors_counted", "resent",
              [](Result& result, Drift&) {
                result.counters.client.emplace_back("completer_retry_err", 2);
              }},
        Fault{"in_flight_is_the_depth", "half_the_window_counted",
              [](Result& result, Drift&) { result.bandwidth->messages_per_second = 100; }},
        Fault{"in_flight_is_the_depth", "not_all_counted",
              [](Result& result, Drift&) { result.bandwidth->messages_per_second = 48.9; }},
        Fault{
            "no_errors_counted", "dropped_by_the_queueing_discipline",
            [](Result& result, Drift&) { result.counters.client.emplace_back("qdisc_drops", 2); }},
        Fault{"no_errors_counted", "dropped_by_the_interface",
              [](Result& result, Drift&) {
                result.counters.server.emplace_back("netdev_rx_dropped", 1);
              }},
        Fault{"no_congestion_counted", "held_back_by_the_queueing_discipline",
              [](Result& result, Drift&) {
                result.counters.client.emplace_back("qdisc_overlimits", 2);
              }},
        Fault{"rate_within_bounds", "counted_twice",
              [](Result& result, Drift&) { result.bandwidth->bytes_per_second *= 2; }},
        Fault{"windows_agree", "a_clock_twice_as_fast",
              [](Result& result, Drift&) { result.traffic[0].received->window_seconds = 4.0; }},
        Fault{"clocks_are_steady", "drifts", [](Result&, Drift& drift) { drift[1] = -50.0; }}),
    [](const auto& fault) { return fault.param.check + "_" + fault.param.what; });

TEST_F(ChecksTest, LetMessagesGetLostWhereTheyMayButNotComeTwice) {
  result_.qp_type = "ud";
  result_.traffic[0].received->messages = 90;
  result_.traffic[0].received->bytes = 270'000;
  EXPECT_TRUE(Holds("received_as_sent"));
  EXPECT_THAT(Names(Checks()), testing::Not(Contains("windows_agree")));
  result_.traffic[0].received->messages = 101;
  EXPECT_FALSE(Holds("received_as_sent"));
}

TEST_F(ChecksTest, TellMessagesInFlightFromPlacesThatTheHostFills) {
  const std::vector<Check> checks = Checks();
  const Check* check = Find(checks, "in_flight_is_the_depth");
  ASSERT_NE(check, nullptr);
  EXPECT_THAT(check->figures,
              ElementsAre(Pair("depth_messages", 1.0), Pair("in_flight_messages", 0.75),
                          Pair("refilling_messages", 0.25)));
}

// Of two directions each has its own rate, and the headline is of neither.
TEST_F(ChecksTest, AddUpWhatBothDirectionsHaveInFlight) {
  report::Direction back = result_.traffic[0];
  std::swap(back.from, back.to);
  back.sent.messages = 50;
  back.sent.queue_turn = report::QueueTurn{.turn_ns = 40e6, .refill_ns = 0};
  result_.traffic.push_back(back);
  EXPECT_TRUE(Holds("in_flight_is_the_depth"));
  result_.traffic[1].sent.messages = 47;
  EXPECT_FALSE(Holds("in_flight_is_the_depth"));
}

TEST_F(ChecksTest, CountAMessageOnceThatIsKnownToHaveComeTwice) {
  result_.qp_type = "ud";
  report::Direction& direction = result_.traffic[0];
  direction.received->messages = 103;
  direction.received->bytes = 309'000;
  direction.delivery = report::Delivery{.lost = 0, .arrivals = report::Arrivals{.duplicated = 2}};
  EXPECT_FALSE(Holds("received_as_sent"));
  direction.delivery->arrivals->late = 1;
  EXPECT_TRUE(Holds("received_as_sent"));
  const std::vector<Check> checks = Checks();
  EXPECT_THAT(Find(checks, "received_as_sent")->figures, Contains(Pair("repeated_messages", 3.0)));
  direction.received->bytes += 1;
  EXPECT_FALSE(Holds("received_as_sent"));
}

TEST_F(ChecksTest, LookForAReadsPayloadOnItsWayBack) {
  result_.test = "read_bw";
  result_.traffic[0].sent.completion_opcode = "rdma_read";
  result_.traffic[0].received.reset();
  EXPECT_FALSE(Holds("ports_count_the_packets"));
  result_.counters.server[0].second = 300;
  result_.counters.client[1].second = 300;
  EXPECT_TRUE(Holds("ports_count_the_packets"));
}

TEST_F(ChecksTest, NeedAPacketForAnEmptyMessageToo) {
  result_.message_bytes = 0;
  EXPECT_TRUE(Holds("ports_count_the_packets"));
  result_.counters.client[0].second = 99;
  EXPECT_FALSE(Holds("ports_count_the_packets"));
}

TEST_F(ChecksTest, SayWhichSideCountedWhichError) {
  result_.counters.server.emplace_back("duplicate_request", 7);
  const std::vector<Check> checks = Checks();
  const Check* check = Find(checks, "no_errors_counted");
  ASSERT_NE(check, nullptr);
  EXPECT_THAT(check->figures, ElementsAre(Pair("server_duplicate_request", 7.0)));
  EXPECT_THAT(check->text, HasSubstr("the server's port counted requests that came again"));
}

TEST_F(ChecksTest, FindAMessageWithoutASample) {
  MakeLatency();
  EXPECT_TRUE(Holds("samples_are_messages"));
  result_.messages = 99;
  EXPECT_FALSE(Holds("samples_are_messages"));
}

TEST_F(ChecksTest, CountRequestsWhoseAnswersWereLost) {
  MakeLatency();
  result_.qp_type = "ud";
  result_.latency->lost_replies = 1;
  result_.traffic[0].received->messages = 101;
  result_.traffic[0].received->bytes += result_.message_bytes;
  result_.traffic[0].received->messages_per_queue_pair = {101};
  EXPECT_TRUE(Holds("received_as_sent"));
  result_.latency->lost_replies = 0;
  EXPECT_FALSE(Holds("received_as_sent"));
}

TEST_F(ChecksTest, DoNotLetOneDirectionMakeUpForTheOther) {
  result_.qp_type = "ud";
  report::Direction back = result_.traffic[0];
  std::swap(back.from, back.to);
  result_.traffic.push_back(back);
  EXPECT_TRUE(Holds("received_as_sent"));
  EXPECT_TRUE(Holds("queue_pairs_add_up"));
  result_.traffic[0].received->messages = 101;
  result_.traffic[1].received->messages = 99;
  EXPECT_FALSE(Holds("received_as_sent"));
  EXPECT_FALSE(Holds("queue_pairs_add_up"));
}

TEST_F(ChecksTest, FindAPortThatSawNothing) {
  result_.counters.client = {{"sent_pkts", 0}, {"rcvd_pkts", 0}};
  EXPECT_FALSE(Holds("ports_count_the_packets"));
}

TEST_F(ChecksTest, FollowTheDirectionOfAReversedRun) {
  result_.traffic[0].from = 1;
  result_.traffic[0].to = 0;
  EXPECT_FALSE(Holds("ports_count_the_packets"));
  std::swap(result_.counters.client, result_.counters.server);
  EXPECT_TRUE(Holds("ports_count_the_packets"));
}

TEST_F(ChecksTest, DoNotAskAPortThatIsBothEnds) {
  hosts_[1].name = hosts_[0].name;
  result_.counters.client[0].second = 0;
  EXPECT_THAT(Names(Checks()), testing::Not(Contains("ports_count_the_packets")));
}

TEST_F(ChecksTest, ReadTheCountersOfOtherDrivers) {
  for (report::Host& host : hosts_) host.device->driver = "mlx5_core";
  result_.counters.client = {{"port_xmit_packets", 299}, {"rp_cnp_handled", 5}};
  result_.counters.server = {{"port_rcv_packets", 300}};
  EXPECT_FALSE(Holds("ports_count_the_packets"));
  EXPECT_FALSE(Holds("no_congestion_counted"));
  EXPECT_TRUE(Holds("no_errors_counted"));
  hosts_[1].device.reset();
  EXPECT_TRUE(Holds("no_errors_counted"));
}

TEST_F(ChecksTest, NameEachPrioritysPauseFrames) {
  for (report::Host& host : hosts_) host.device->driver = "mlx5_core";
  result_.counters.client.emplace_back("ethtool_rx_prio3_pause", 4);
  const std::vector<Check> checks = Checks();
  const Check* check = Find(checks, "no_congestion_counted");
  ASSERT_NE(check, nullptr);
  EXPECT_FALSE(check->ok);
  EXPECT_THAT(check->figures, ElementsAre(Pair("client_ethtool_rx_prio3_pause", 4.0)));
}

TEST_F(ChecksTest, AllowARateForTheClocksTolerance) {
  result_.bandwidth->bytes_per_second = 160'100;
  EXPECT_TRUE(Holds("rate_within_bounds"));
  result_.bandwidth->bytes_per_second = 160'200;
  EXPECT_FALSE(Holds("rate_within_bounds"));
}

TEST_F(ChecksTest, AskNoBoundOfMessagesThatHaveOnlyLeft) {
  result_.qp_type = "uc";
  EXPECT_THAT(Names(Checks()), Contains("rate_within_bounds"));
  result_.traffic[0].received.reset();
  EXPECT_THAT(Names(Checks()), testing::Not(Contains("rate_within_bounds")));
}

TEST_F(ChecksTest, CompareNoWindowsOfAFewTurnsOfTheQueue) {
  EXPECT_THAT(Names(Checks()), Contains("windows_agree"));
  result_.effective.send_depth = 2;
  EXPECT_THAT(Names(Checks()), testing::Not(Contains("windows_agree")));
}

TEST_F(ChecksTest, CompareNoWindowsOfAnInstant) {
  result_.traffic[0].sent.window_seconds = 0.5;
  result_.traffic[0].received->window_seconds = 0.1;
  EXPECT_THAT(Names(Checks()), testing::Not(Contains("windows_agree")));
}

}  // namespace
}  // namespace rdmabench
