#include "transport/account_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "transport/error.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

Account Sample() {
  Account account;
  account.host = "b";
  account.findings = {{.id = "mtu",
                       .severity = Severity::kWarning,
                       .side = "server",
                       .what = "port 1 of rxe0 has an MTU of 1024",
                       .evidence = "/sys/class/net/eth1/mtu: 1500",
                       .effect = "more packets",
                       .remedy = "ip link set dev eth1 mtu 9000"}};
  account.facts.facts = {{"kernel", "6.1.0"}, {"active_mtu_bytes", std::uint64_t{1024}}};
  account.facts.gids = {
      {.index = 1, .type = GidType::kRoceV2, .raw = ParseGid("::ffff:192.168.77.2"), .netdev = {}}};
  return account;
}

TEST(AccountJson, IsReadAsItWasWritten) {
  const Account account = Sample();
  const Account read = AccountFromJson(AccountToJson(account), "server");
  EXPECT_EQ(read.host, "b");
  ASSERT_THAT(read.findings, SizeIs(1));
  EXPECT_EQ(FindingLine(read.findings[0]), FindingLine(account.findings[0]));
  EXPECT_EQ(read.findings[0].evidence, account.findings[0].evidence);
  EXPECT_EQ(read.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(read.facts.facts, account.facts.facts);
  ASSERT_THAT(read.facts.gids, SizeIs(1));
  EXPECT_EQ(read.facts.gids[0].Text(), "::ffff:192.168.77.2");
}

TEST(AccountJson, CutsWhatIsTooMuchForTheReader) {
  Account account = Sample();
  account.findings[0].evidence = std::string(5000, 'x') + "\x1b[2J";
  account.findings.resize(1000, account.findings[0]);
  account.facts.gids.resize(1000, account.facts.gids[0]);
  const Account read = AccountFromJson(AccountToJson(account), "server");
  EXPECT_LT(read.findings.size(), 1000U);
  EXPECT_LT(read.findings[0].evidence.size(), 5000U);
  EXPECT_LT(read.facts.gids.size(), 1000U);
}

// None that a queue pair could use.
TEST(AccountJson, LeavesOutAGidWhoseIndexIsAboveWhatAReaderTakes) {
  Account account = Sample();
  account.facts.gids.push_back(account.facts.gids[0]);
  account.facts.gids[0].index = 256;
  const Account read = AccountFromJson(AccountToJson(account), "server");
  ASSERT_THAT(read.facts.gids, SizeIs(1));
  EXPECT_EQ(read.facts.gids[0].index, 1);
}

// What a hostile or a newer server may send, and what the refusal names.
struct Broken {
  std::string name;
  std::function<void(json&)> change;
  std::string words;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

class BrokenAccount : public testing::TestWithParam<Broken> {};

TEST_P(BrokenAccount, IsRefused) {
  json body = AccountToJson(Sample());
  GetParam().change(body);
  EXPECT_THAT([&] { AccountFromJson(body, "server"); },
              ThrowsMessage<Error>(HasSubstr(GetParam().words)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenAccount,
    testing::Values(
        Broken{"no_object", [](json& body) { body = json::array(); }, "account"},
        Broken{"unknown_key", [](json& body) { body["user"] = "root"; }, "user"},
        Broken{"unknown_severity", [](json& body) { body["findings"][0]["severity"] = "fatal"; },
               "severity"},
        Broken{"long_text",
               [](json& body) { body["findings"][0]["what"] = std::string(2000, 'x'); }, "what"},
        Broken{"control_characters",
               [](json& body) { body["findings"][0]["remedy"] = "\x1b]0;x\x07"; }, "remedy"},
        Broken{"number_as_text", [](json& body) { body["facts"]["active_mtu_bytes"] = "1024"; },
               "active_mtu_bytes"},
        Broken{"huge_number", [](json& body) { body["facts"]["active_mtu_bytes"] = 1e300; },
               "active_mtu_bytes"},
        Broken{"unknown_fact", [](json& body) { body["facts"]["secret"] = "x"; }, "secret"},
        Broken{"bad_gid", [](json& body) { body["gids"][0]["text"] = "nowhere"; }, "nowhere"},
        Broken{"bad_gid_type", [](json& body) { body["gids"][0]["type"] = "roce"; }, "type"},
        Broken{"too_many",
               [](json& body) { body["findings"] = json::array_t(1000, body["findings"][0]); },
               "findings"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace rdmabench
