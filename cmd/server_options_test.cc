#include "cmd/server_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "cmd/options.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

ServerOptions Parse(Words words) {
  words.insert(words.begin(), "server");
  return ParseOptions(words).server;
}

// Why they are refused.
Error Refusal(const Words& words) {
  try {
    ParseOptions(words);
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kUsage);
    return error;
  }
  return {Blame::kRun, "accepted"};
}

// A number, a size or a time. Its bounds are written as errors and the help show them.
struct Bounded {
  std::string option;
  std::string low;
  std::uint64_t low_value;
  std::string high;
  std::uint64_t high_value;
  std::string below;  // empty: there is nothing below
  std::string above;
  std::string form;
  std::uint64_t (*value)(const ServerOptions&);
  std::uint64_t default_value;
  std::string default_text;  // of the help; empty: it has none
};
void PrintTo(const Bounded& row, std::ostream* out) { *out << row.option; }

class BoundedServerOption : public testing::TestWithParam<Bounded> {
 protected:
  const Bounded& row_ = GetParam();
};

TEST_P(BoundedServerOption, TakesWhatIsWithinItsBounds) {
  EXPECT_EQ(row_.value(Parse({row_.option, row_.low})), row_.low_value);
  EXPECT_EQ(row_.value(Parse({row_.option, row_.high})), row_.high_value);
}

TEST_P(BoundedServerOption, RefusesWhatIsBeyondThem) {
  const std::string allowed = " is out of range; allowed are " + row_.low + " to " + row_.high;
  const Error above = Refusal({"server", row_.option, row_.above});
  EXPECT_EQ(above.what(), row_.option + " '" + row_.above + "'" + allowed);
  EXPECT_EQ(above.remedy(), "give " + row_.high + " or less");
  if (row_.below.empty()) return;
  const Error below = Refusal({"server", row_.option, row_.below});
  EXPECT_EQ(below.what(), row_.option + " '" + row_.below + "'" + allowed);
  EXPECT_EQ(below.remedy(), "give " + row_.low + " or more");
}

TEST_P(BoundedServerOption, RefusesWhatIsNone) {
  for (const std::string text : {"x", "1e1", "0x10"}) {
    const Error error = Refusal({"server", row_.option, text});
    EXPECT_THAT(error.what(), StartsWith(row_.option + " '" + text + "' is not " + row_.form));
    EXPECT_THAT(error.remedy(), StartsWith("write it as in "));
  }
  EXPECT_EQ(Refusal({"server", row_.option, ""}).what(),
            row_.option + std::string(" has no value"));
}

TEST_P(BoundedServerOption, HasTheDefaultThatTheHelpNames) {
  EXPECT_EQ(row_.value(Parse({})), row_.default_value);
  const std::string help = ParseOptions(Words{"server", "--help"}).text;
  const std::size_t begin = help.find(row_.option);
  ASSERT_NE(begin, std::string::npos);
  EXPECT_THAT(help.substr(begin, help.find("\n  -", begin) - begin), HasSubstr(row_.default_text));
}

std::uint64_t Milliseconds(std::chrono::milliseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

using Server = const ServerOptions&;
INSTANTIATE_TEST_SUITE_P(
    Rows, BoundedServerOption,
    testing::Values(
        Bounded{"--port", "0", 0, "65535", 65535, "", "65536", "a whole number",
                [](Server options) -> std::uint64_t { return options.lobby.port; }, 18515, ""},
        Bounded{"--max-sessions", "1", 1, "1024", 1024, "0", "1025", "a whole number",
                [](Server options) -> std::uint64_t { return options.lobby.sessions; }, 1,
                "default 1"},
        Bounded{"--max-queue", "0", 0, "1024", 1024, "", "1025", "a whole number",
                [](Server options) -> std::uint64_t { return options.lobby.queue; }, 64,
                "default 64"},
        Bounded{"--max-per-address", "1", 1, "4096", 4096, "0", "4097", "a whole number",
                [](Server options) -> std::uint64_t { return options.lobby.per_address; }, 32,
                "default 32"},
        Bounded{"--hello-timeout", "100ms", 100, "10m", 600'000, "99ms", "601s", "a time",
                [](Server options) -> std::uint64_t {
                  return Milliseconds(options.lobby.hello_timeout);
                },
                5'000, "default 5s"},
        Bounded{"--idle-timeout", "100ms", 100, "10m", 600'000, "99ms", "601s", "a time",
                [](Server options) -> std::uint64_t { return options.limits.idle_ms; }, 15'000,
                "default 15s"},
        Bounded{"--limit-qp", "1", 1, "16384", 16'384, "0", "16385", "a whole number",
                [](Server options) -> std::uint64_t { return options.limits.queue_pairs; }, 16'384,
                ""},
        Bounded{"--limit-memory", "4K", 4'096, "1024T", std::uint64_t{1} << 50, "4095", "1025T",
                "a size",
                [](Server options) -> std::uint64_t { return options.limits.memory_bytes; },
                std::uint64_t{4} << 30, "default 4G"},
        Bounded{"--limit-duration", "1ms", 1, "24h", 86'400'000, "0", "25h", "a time",
                [](Server options) -> std::uint64_t { return options.limits.duration_ms; },
                86'400'000, "default 24h"}),
    [](const auto& row) {
      std::string name;
      for (const char letter : row.param.option) {
        if (letter != '-') name += letter;
      }
      return name;
    });

TEST(ServerOptions, TakeAddressesAsAListOrOneByOne) {
  EXPECT_THAT(Parse({}).lobby.bind, IsEmpty());
  EXPECT_THAT(Parse({"--bind", "10.0.0.5,fd00::1"}).lobby.bind, ElementsAre("10.0.0.5", "fd00::1"));
  EXPECT_THAT(Parse({"--bind", "10.0.0.5", "--bind", "fd00::1"}).lobby.bind,
              ElementsAre("10.0.0.5", "fd00::1"));
  EXPECT_THAT(Refusal({"server", "--bind"}).what(), StartsWith("--bind"));
}

// "" is what an unset variable leaves of --secret-file "$FILE".
TEST(ServerOptions, HaveNoSecretOnlyWhereNoneIsAskedFor) {
  EXPECT_EQ(Parse({}).lobby.secret_file, "");
  EXPECT_EQ(Parse({"--secret-file", "no/such"}).lobby.secret_file, "no/such");
  for (const Words& words : {Words{"server", "--secret-file", ""}, Words{"server", "--secret-file"},
                             Words{"server", "--secret-file="}}) {
    const Error error = Refusal(words);
    EXPECT_STREQ(error.what(), "--secret-file has no value");
    EXPECT_NE(error.remedy(), "");
  }
}

TEST(ServerOptions, SayHowEventsAreWritten) {
  EXPECT_EQ(Parse({}).log_format, LogFormat::kText);
  EXPECT_EQ(Parse({"--log-format", "text"}).log_format, LogFormat::kText);
  EXPECT_EQ(Parse({"--log-format", "json"}).log_format, LogFormat::kJson);
  const Error error = Refusal({"server", "--log-format", "JSON"});
  EXPECT_STREQ(error.what(), "--log-format 'JSON' is not known");
  EXPECT_EQ(error.remedy(), "known formats: text, json");
  EXPECT_FALSE(Parse({}).quiet);
  EXPECT_TRUE(Parse({"--quiet"}).quiet);
}

TEST(ServerOptions, EndAfterTheFirstClientIfTold) {
  EXPECT_FALSE(Parse({}).lobby.once);
  EXPECT_TRUE(Parse({"--once"}).lobby.once);
}

TEST(ServerOptions, StartASessionOnADescriptorThatIsNoStandardOne) {
  const ServerOptions session =
      Parse({"--session-fd", "3", "--session-request", "run", "--session-events-fd", "1048576"});
  EXPECT_EQ(session.session_fd, 3);
  EXPECT_EQ(session.session_request, "run");
  EXPECT_EQ(session.session_events_fd, 1048576);
  for (const std::string option : {"--session-fd", "--session-events-fd"}) {
    EXPECT_THAT(Refusal({"server", option, "2"}).what(), HasSubstr("allowed are 3 to 1048576"));
  }
  EXPECT_FALSE(Parse({}).session_fd);
}

TEST(ServerOptions, AreGivenOnce) {
  const Error error = Refusal({"server", "--max-queue", "1", "--max-queue", "2"});
  EXPECT_STREQ(error.what(), "--max-queue is given more than once");
}

TEST(ServerOptions, AreNoneOfATest) {
  for (const char* option : {"--bind", "--max-sessions", "--max-queue", "--max-per-address",
                             "--hello-timeout", "--limit-qp", "--log-format"}) {
    EXPECT_THAT(Refusal({"write_bw", "host", option, "1"}).what(),
                StartsWith(std::string("unknown option ") + option));
  }
}

}  // namespace
}  // namespace rdmabench
