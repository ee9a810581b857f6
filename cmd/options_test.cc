#include "cmd/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;
using testing::ThrowsMessage;

Options Parse(std::vector<std::string> args) { return ParseOptions(args); }
const TestPlan& TestOf(const Options& options) { return options.plan.tests.front(); }

TEST(Options, HaveTheDocumentedDefaults) {
  const Options options = Parse({"write_bw", "a"});
  EXPECT_EQ(options.command, Command::kTest);
  EXPECT_EQ(options.call.host, "a");
  EXPECT_EQ(options.call.port, 18515);
  EXPECT_THAT(TestOf(options).run.message_bytes, testing::IsEmpty()) << "by the test";
  EXPECT_EQ(TestOf(options).run.duration_ms, 2000U);
  EXPECT_EQ(TestOf(options).queue.queue_pairs, 1U);
  EXPECT_THAT(options.local.devices, testing::IsEmpty());
  EXPECT_EQ(options.output.format, "text");
}

TEST(Options, MeanTheSameInEveryOrder) {
  std::vector<std::vector<std::string>> groups = {
      {"-s", "64,4K"}, {"-q", "4"}, {"host"}, {"-n", "1000"}, {"--quiet"}};
  std::sort(groups.begin(), groups.end());
  do {
    std::vector<std::string> args = {"write_bw"};
    for (const auto& group : groups) args.insert(args.end(), group.begin(), group.end());
    const Options options = Parse(args);
    EXPECT_EQ(options.call.host, "host");
    EXPECT_THAT(TestOf(options).run.message_bytes, ElementsAre(64, 4096));
    EXPECT_EQ(TestOf(options).queue.queue_pairs, 4U);
    EXPECT_EQ(TestOf(options).run.iterations, 1000U);
    EXPECT_TRUE(options.output.quiet);
  } while (std::next_permutation(groups.begin(), groups.end()));
}

TEST(Options, TakePerftestsLettersAndBothSpellingsOfItsLongNames) {
  const Options letters = Parse({"write_bw", "a",  "-d",   "rxe0", "-i", "1",  "-x", "2",  "-m",
                                 "1024",     "-p", "2000", "-D",   "3",  "-t", "64", "-l", "4",
                                 "-Q",       "8",  "-I",   "32",   "-c", "RC", "-u", "20"});
  EXPECT_THAT(letters.local.devices, ElementsAre("rxe0"));
  EXPECT_EQ(letters.local.gid_index, 2);
  EXPECT_EQ(letters.call.port, 2000);
  EXPECT_EQ(TestOf(letters).run.duration_ms, 3000U);
  EXPECT_EQ(TestOf(letters).queue.send_depth, 64U);
  EXPECT_EQ(TestOf(letters).queue.signal_every, 8U);
  EXPECT_EQ(TestOf(letters).queue.qp_type, "rc");
  EXPECT_EQ(TestOf(letters).link.timeout, 20U);
  for (const char* name : {"--post_list=4", "--post-list=4"}) {
    EXPECT_EQ(TestOf(Parse({"write_bw", "a", name})).queue.post_list, 4U);
  }
}

TEST(Options, AllLeavesTheSizesToTheTest) {
  const Options options = Parse({"write_bw", "a", "-a"});
  EXPECT_TRUE(TestOf(options).run.all_sizes);
  EXPECT_THAT(TestOf(options).run.message_bytes, testing::IsEmpty());
}

TEST(Options, ReachThePlan) {
  const TestPlan test = TestOf(Parse({"send_bw",   "a",
                                      "-q",        "4",
                                      "--threads", "2",
                                      "-b",        "-e",
                                      "-r",        "64",
                                      "-S",        "3",
                                      "-T",        "8",
                                      "-L",        "9",
                                      "-s",        "64:256",
                                      "--use-srq", "--flow-label",
                                      "1,2",       "-n",
                                      "1000",      "--rnr-retry",
                                      "2",         "--retry-count",
                                      "4",         "--rate",
                                      "5000pps"}));
  EXPECT_EQ(test.queue.queue_pairs, 4U);
  EXPECT_EQ(test.queue.threads, 2U);
  EXPECT_TRUE(test.queue.bidirectional && test.queue.events && test.queue.use_srq);
  EXPECT_EQ(test.queue.recv_depth, 64U);
  EXPECT_EQ(test.link.service_level, 3U);
  EXPECT_EQ(test.link.traffic_class, 8U);
  EXPECT_EQ(test.link.hop_limit, 9U);
  EXPECT_EQ(test.link.rnr_retry, 2U);
  EXPECT_EQ(test.link.retry_count, 4U);
  EXPECT_THAT(test.link.flow_labels, ElementsAre(1, 2));
  EXPECT_THAT(test.run.message_bytes, ElementsAre(64, 128, 256));
  EXPECT_EQ(test.run.rate.messages_per_second, 5000.0);
}

TEST(Options, PercentilesAreAListOfThePlan) {
  EXPECT_THAT(TestOf(Parse({"read_lat", "a", "--percentiles", "1,50,99.999"})).run.percentiles,
              ElementsAre(1, 50, 99.999));
  EXPECT_THAT(Parse({"read_lat", "--help"}).text, HasSubstr("default 50,90,99,99.9,99.99"));
}

TEST(Options, SayHowLongAndHowOftenToMeasure) {
  const RunOptions run = TestOf(Parse({"write_bw", "a", "--runs", "6", "--until", "ci=0.5%",
                                       "--max-time", "20s", "--warmup-max", "1s"}))
                             .run;
  EXPECT_EQ(run.runs, 6U);
  EXPECT_EQ(run.until_ci_percent, 0.5);
  EXPECT_EQ(run.max_time_ms, 20'000U);
  EXPECT_EQ(run.warmup_max_ms, 1000U);
}

TEST(Options, DscpIsTheTrafficClassWithoutItsLowerBits) {
  EXPECT_EQ(TestOf(Parse({"write_bw", "a", "--dscp", "26"})).link.traffic_class, 104U);
}

struct BadCase {
  std::vector<std::string> args;
  const char* text;
};
class BadOptions : public testing::TestWithParam<BadCase> {};

TEST_P(BadOptions, AreAUsageErrorThatSaysWhatIsWrong) {
  try {
    Parse(GetParam().args);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kUsage);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().text));
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BadOptions,
    testing::Values(
        BadCase{{}, "no command"}, BadCase{{"write_b", "a"}, "did you mean write_bw"},
        BadCase{{"write_bw"}, "HOST"}, BadCase{{"write_bw", "a", "-s", "0"}, "'0'"},
        BadCase{{"write_bw", "a", "-s", "64x"}, "'64x'"},
        BadCase{{"write_bw", "a", "-p", "99999"}, "1 to 65535"},
        BadCase{{"write_bw", "a", "-q", "0"}, "1 to 16384"},
        BadCase{{"write_bw", "a", "-q", "1000000000"}, "--qp '1000000000'"},
        BadCase{{"write_bw", "a", "--threads", "1000000000"}, "--threads '1000000000'"},
        BadCase{{"write_bw", "a", "-q", "64", "--threads", "128"}, "--threads does not go with"},
        BadCase{{"write_bw", "a", "-t", "1000000000"}, "--tx-depth '1000000000'"},
        BadCase{{"write_bw", "a", "-s", "64,1T"}, "--size '1T'"},
        BadCase{{"write_bw", "a", "-n", "1000000000000000"}, "--iters '1000000000000000'"},
        BadCase{{"write_bw", "a", "-D", "1000000000000"}, "--duration '1000000000000'"},
        BadCase{{"write_bw", "a", "--warmup", "1000000000000"}, "--warmup '1000000000000'"},
        BadCase{{"write_bw", "a", "-m", "1000"}, "1000"},
        BadCase{{"write_bw", "a", "-u", "300"}, "0 to 31"},
        BadCase{{"write_bw", "a", "-c", "xrc"}, "rc"},
        BadCase{{"write_bw", "a", "-c", "UD"}, "write_bw"},
        BadCase{{"read_bw", "a", "-c", "uc"}, "read_bw"},
        BadCase{{"send_lat", "a", "-b"}, "--bidirectional"},
        BadCase{{"send_bw", "a", "--flow-label", "1,x"}, "'x'"},
        BadCase{{"write_bw", "a", "-n", "5", "-D", "1"}, "--duration"},
        BadCase{{"write_bw", "a", "--until", "ci=1%", "-D", "1"}, "--until"},
        BadCase{{"write_bw", "a", "--until", "1%"}, "--until '1%'"},
        BadCase{{"write_bw", "a", "--until", "ci=1"}, "percent"},
        BadCase{{"write_bw", "a", "--until", "ci=0%"}, "above 0%"},
        BadCase{{"write_bw", "a", "--max-time", "5"}, "--max-time needs --until"},
        BadCase{{"write_bw", "a", "--runs", "0"}, "1 to 1000"},
        BadCase{{"write_bw", "a", "-a", "-s", "64"}, "--size"},
        BadCase{{"write_bw", "a", "--tx-dept", "5"}, "--tx-depth"},
        BadCase{{"write_bw", "a", "b"}, "b"}, BadCase{{"write_bw", "a", "--format", "xml"}, "xml"},
        BadCase{{"write_bw", "a", "--json", "-", "--format", "csv"}, "stdout"},
        BadCase{{"write_bw", "a", "-s", "64", "-s", "128"}, "--size is given more than once"},
        BadCase{{"write_bw", "a", "-s"}, "--size has no value"},
        BadCase{{"write_bw", "a", "--json", ""}, "--json has no value"},
        BadCase{{"write_bw", "a", "--source-ip", ""}, "--source-ip has no value"},
        BadCase{{"write_bw", "a", "--qp", ""}, "--qp has no value"},
        BadCase{{"write_bw", "a", "-s", ""}, "--size has no value"},
        BadCase{{"devices", "-d", ""}, "--ib-dev has no value"},
        BadCase{{"read_lat", "a", "--samples", ""}, "--samples has no value"},
        BadCase{{"server", "--secret-file", ""}, "--secret-file has no value"},
        BadCase{{"write_bw", "a", "--secret-file", ""}, "--secret-file has no value"},
        BadCase{{"write_bw", "a", "--burst", "4"}, "--burst needs --rate"},
        BadCase{{"read_lat", "a", "--percentiles", "50,"}, "--percentiles ''"},
        BadCase{{"read_lat", "a", "--percentiles", "99,50"}, "p50 after p99"},
        BadCase{{"read_bw", "a", "--percentiles", "50"}, "--percentiles"},
        BadCase{{"read_bw", "a", "--samples", "f"}, "--samples does not go with"},
        BadCase{{"read_lat", "a", "--samples", "-"}, "--samples '-'"},
        BadCase{{"read_lat", "a", "--samples", "f", "--json", "f"}, "the same file"},
        BadCase{{"run", "configs/sweep.json", "a", "--samples", "f"}, "--samples does not go with"},
        BadCase{{"send_bw", "a", "-X", "1"}, "--vector needs --events"},
        BadCase{{"send_bw", "a", "-X", "0"}, "--vector needs --events"},
        BadCase{{"read_lat", "a", "--reply-timeout", "1"},
                "--reply-timeout does not go with --connection rc"},
        BadCase{{"send_bw", "a", "-c", "ud", "--reply-timeout", "1"},
                "--reply-timeout does not go with send_bw"},
        BadCase{{"write_bw", "a", "--numa-node", "x"},
                "no number of a NUMA node; allowed are 0 to 65535"},
        BadCase{{"write_bw", "a", "--memory", "foo"}, "known: host"},
        BadCase{{"write_bw", "a", "--memory", "mmap"}, "does not say which file"},
        BadCase{{"write_bw", "a", "--memory", "host=1"}, "there is one only"},
        BadCase{{"write_bw", "a", "--remote-memory", "mmap=/f"}, "says which on the server"},
        BadCase{{"write_bw", "a", "--working-set", "x"}, "is not a size"},
        BadCase{{"write_bw", "a", "--working-set", "0"}, "allowed are 1 to 1T"},
        BadCase{{"write_bw", "a", "--working-set", "1000T"}, "allowed are 1 to 1T"},
        BadCase{{"write_bw", "a", "--working-set", "20000000T"}, "--working-set '20000000T'"},
        BadCase{{"write_bw", "a", "--align", "0"}, "allowed are 1 to 4K"},
        BadCase{{"write_bw", "a", "--align", "3"}, "no power of two"},
        BadCase{{"write_bw", "a", "--offset", "-1"}, "--offset '-1'"},
        BadCase{{"write_bw", "a", "--access", "x"}, "--access 'x' is not known"},
        BadCase{{"write_bw", "a", "--verify", "--access", "same"},
                "--verify does not go with --access"},
        BadCase{{"write_bw", "a", "--verify", "--working-set", "1M"},
                "--verify does not go with --working-set"},
        BadCase{{"write_bw", "a", "--relaxed-ordering", "x"}, "neither on nor off"},
        BadCase{{"write_bw", "a", "--duration", "x"}, "is not a time"},
        BadCase{{"write_bw", "a", "--duration", "0"}, "allowed are 1ms to 24h"},
        BadCase{{"write_bw", "a", "--rate", "1GB/s"}, "is not a rate"},
        BadCase{{"write_bw", "a", "--gid-type", "x"}, "--gid-type 'x'"},
        BadCase{{"write_bw", "a", "--limit-rate", "x"}, "messages per second"},
        BadCase{{"read_lat", "a", "--limit-latency", "p99=1us,p99=2us"}, "two limits for p99"},
        BadCase{{"read_lat", "a", "--rate-sweep", "1Kpps:2Kpps"}, "a range of rates"},
        BadCase{{"read_lat", "a", "--slo", "50us"}, "a percentile and its limit"},
        BadCase{{"server", "--limit-memory", "x"}, "is not a size"},
        BadCase{{"server", "--memory", "host"}, "does not say which"},
        BadCase{{"devices", "-d", "a,"}, "--ib-dev 'a,'"},
        BadCase{{"send_bw", "a", "--dscp", "26", "-T", "8"}, "--dscp does not go with --tclass"},
        BadCase{{"send_bw", "a", "--tclass", "104", "--dscp", "26"},
                "--dscp does not go with --tclass"},
        BadCase{{"send_bw", "a", "-c", "uc", "-u", "14"},
                "--qp-timeout does not go with --connection uc"},
        BadCase{{"send_bw", "a", "--retry-count", "7", "-c", "ud"},
                "--retry-count does not go with --connection ud"},
        BadCase{{"send_bw", "a", "-c", "ud", "--rnr-retry", "6"},
                "--rnr-retry does not go with --connection ud"},
        BadCase{{"send_bw", "a", "--flow-label", "1,2"}, "--flow-label does not go with fewer"},
        BadCase{{"send_bw", "a", "-d", "rxe0,"}, "--ib-dev 'rxe0,'"},
        BadCase{{"send_bw", "a", "-d", "all,rxe0"}, "--ib-dev 'all,rxe0'"},
        BadCase{{"send_bw", "a", "-d", "rxe0:x"}, "\"rxe0:x\" is no device and port"},
        BadCase{{"send_bw", "a", "-d", "rxe0:1", "-i", "1"},
                "--ib-port 1 does not go with --ib-dev"},
        BadCase{{"server", "-d", "rxe0:x"}, "\"rxe0:x\" is no device and port"},
        BadCase{{"send_bw", "a", "-d", "a,b", "--remote-device", "c"}, "--ib-dev a,b names 2"},
        BadCase{{"send_bw", "a", "--remote-device", "c,d"}, "--remote-device c,d names 2"},
        BadCase{{"send_bw", "a", "-d", "a,b", "-R"}, "--rdma-cm does not go with several devices"},
        BadCase{{"send_bw", "a", "-c", "ud", "-s", "8K"}, "--connection ud"},
        BadCase{{"-d", "mlx5_0", "write_bw", "a"}, "the command comes before"},
        BadCase{{"server", "--max-sessions", "0"}, "1 to 1024"},
        BadCase{{"server", "--log-format", "xml"}, "--log-format 'xml' is not known"},
        BadCase{{"status"}, "HOST"}, BadCase{{"status", "a", "--wait", "5"}, "--wait"},
        BadCase{{"server", "-s", "64"}, "-s"}));

struct Perftest {
  const char* option;
  const char* remedy;
};
class PerftestOptions : public testing::TestWithParam<Perftest> {};

TEST_P(PerftestOptions, AreUnknownButTheRemedySaysWhatIsHere) {
  EXPECT_THAT(
      [] {
        Parse({"write_bw", "a", GetParam().option, "10"});
      },
      ThrowsMessage<Error>(HasSubstr(GetParam().option)));
  EXPECT_THAT(
      [] {
        Parse({"write_bw", "a", GetParam().option, "10"});
      },
      Throws<Error>(Property(&Error::remedy, HasSubstr(GetParam().remedy))));
}

INSTANTIATE_TEST_SUITE_P(
    Names, PerftestOptions,
    testing::Values(Perftest{"--rate-limit", "--rate 10Gbps"},
                    Perftest{"--latency-gap", "--rate 1Kpps"},
                    Perftest{"--use-cuda", "--memory cuda"}, Perftest{"-A", "cmp_swap_*"},
                    Perftest{"-F", "leave it out"}, Perftest{"-O", "-d mlx4_0:1,mlx4_0:2"},
                    Perftest{"--report-gbits", "Gb/s"}, Perftest{"--out-json", "--json FILE"}));

TEST(Options, HelpAndVersionAreText) {
  EXPECT_THAT(Parse({"--help"}).text, HasSubstr("write_bw"));
  EXPECT_THAT(Parse({"--version"}).text, HasSubstr("rdmabench 0."));
  EXPECT_THAT(Parse({"write_bw", "--help"}).text, HasSubstr("--tx-depth"));
  EXPECT_EQ(Parse({"write_bw", "--help"}).command, Command::kPrint);
  EXPECT_THAT(Parse({"server", "--help"}).text, Not(HasSubstr("--session-")));
  for (const char* command : {"server", "doctor", "run"}) {
    EXPECT_THAT(Parse({command, "--help"}).text, Not(HasSubstr("--threads"))) << command;
  }
  EXPECT_THAT(Parse({"write_bw", "--help"}).text, HasSubstr("--qp and --threads"));
}

TEST(Options, OfASuiteAreItsFilesPlan) {
  const Options options = Parse({"run", "configs/smoke.json", "a", "-d", "rxe0"});
  EXPECT_EQ(options.command, Command::kTest);
  EXPECT_EQ(options.call.host, "a");
  EXPECT_THAT(options.local.devices, ElementsAre("rxe0"));
  EXPECT_FALSE(options.plan.tests.empty());
}

TEST(Options, TakeTheDevicesToList) {
  const Options options = Parse({"devices", "-d", "mlx5_0,eth2", "--json"});
  EXPECT_EQ(options.command, Command::kDevices);
  EXPECT_THAT(options.only_devices, ElementsAre("mlx5_0", "eth2"));
  EXPECT_THAT(Parse({"devices", "-d", "all"}).only_devices, testing::IsEmpty());
  EXPECT_TRUE(options.json);
}

TEST(Options, NameSeveralDevicesOfBothSides) {
  const Options options =
      Parse({"write_bw", "a", "-d", "mlx5_0,mlx4_0:2", "--remote-device", "eth1,eth2"});
  EXPECT_THAT(options.local.devices, ElementsAre("mlx5_0", "mlx4_0:2"));
  EXPECT_THAT(options.plan.remote.devices, ElementsAre("eth1", "eth2"));
  const Options suite =
      Parse({"run", "--remote-device", "eth1", "configs/smoke.json", "a", "-d", "rxe0"});
  EXPECT_THAT(suite.plan.remote.devices, ElementsAre("eth1"));
  EXPECT_FALSE(suite.plan.tests.empty());
}

TEST(Options, FlagsTakeNoValue) {
  for (const char* flag : {"--no-pin=7", "--mr-per-qp=no", "--quiet=false"}) {
    EXPECT_THROW(Parse({"write_bw", "a", flag}), Error) << flag;
  }
}

TEST(Options, OfTheDoctorNeedNoHost) {
  const Options alone = Parse({"doctor", "-d", "mlx5_0", "-x", "3", "--json"});
  EXPECT_EQ(alone.command, Command::kDoctor);
  EXPECT_TRUE(alone.call.host.empty());
  EXPECT_THAT(alone.local.devices, ElementsAre("mlx5_0"));
  EXPECT_EQ(alone.local.gid_index, 3);
  EXPECT_TRUE(alone.json);
  const Options both = Parse({"doctor", "a", "-p", "4000"});
  EXPECT_EQ(both.call.host, "a");
  EXPECT_EQ(both.call.port, 4000);
  EXPECT_FALSE(both.json);
  EXPECT_THAT(Parse({"doctor", "a", "--remote-device", "rxe1"}).plan.remote.devices,
              ElementsAre("rxe1"));
  for (const char* bad : {"rxe0:x", ":1", "rxe0,,rxe1"}) {
    EXPECT_THROW(Parse({"doctor", "a", "--remote-device", bad}), Error) << bad;
    EXPECT_THROW(Parse({"doctor", "-d", bad}), Error) << bad;
  }
  EXPECT_THAT(
      [] {
        Parse({"doctor", "--remote-device", "rxe1"});
      },
      ThrowsMessage<Error>(HasSubstr("--remote-device is of a server")));
}

TEST(Options, ASuiteThatIsNotThereIsNamed) {
  EXPECT_THAT(
      [] {
        Parse({"run", "no/such.json", "a"});
      },
      ThrowsMessage<Error>(HasSubstr("no/such.json")));
}

TEST(Options, SayHowToAskAServerForItsStatus) {
  const Options options = Parse({"status", "node7", "-p", "5", "--json"});
  EXPECT_EQ(options.command, Command::kStatus);
  EXPECT_EQ(options.call.host, "node7");
  EXPECT_EQ(options.call.port, 5);
  EXPECT_TRUE(options.json);
}

TEST(Options, OfTheServer) {
  const Options options =
      Parse({"server", "--bind", "127.0.0.1,::1", "-p", "0", "--once", "--log-format", "json"});
  EXPECT_EQ(options.command, Command::kServer);
  EXPECT_THAT(options.server.lobby.bind, ElementsAre("127.0.0.1", "::1"));
  EXPECT_EQ(options.server.lobby.port, 0);
  EXPECT_TRUE(options.server.lobby.once);
  EXPECT_EQ(options.server.log_format, LogFormat::kJson);
  EXPECT_EQ(options.server.lobby.sessions, 1U);
}

}  // namespace
}  // namespace rdmabench
