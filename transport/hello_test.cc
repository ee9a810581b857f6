#include "transport/hello.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "transport/error.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

TEST(Hello, IsReadAsItWasMade) {
  const Hello made = MakeHello("0.1.0", "run");
  const Hello read = CheckHello(HelloToJson(made), "0.1.0");
  EXPECT_EQ(read.protocol, made.protocol);
  EXPECT_EQ(read.tool_version, "0.1.0");
  EXPECT_EQ(read.nonce, made.nonce);
  EXPECT_EQ(read.request, "run");
}

TEST(Hello, HasANonceOfItsOwn) {
  const std::string nonce = MakeHello("0.1.0", "run").nonce;
  EXPECT_EQ(nonce.size(), 32U);
  EXPECT_NE(nonce, MakeHello("0.1.0", "run").nonce);
}

TEST(Hello, OfAnotherProtocolNamesAllVersionsWhateverElseItHolds) {
  const nlohmann::json body = {{"protocol", 99}, {"tool_version", "7.5.0"}, {"dialect", "x"}};
  const std::string text =
      "the client (rdmabench 7.5.0) speaks protocol 99, the server (rdmabench 0.1.0) protocol " +
      std::to_string(kProtocolVersion);
  EXPECT_THAT([&] { CheckHello(body, "0.1.0"); }, ThrowsMessage<Error>(StrEq(text)));
}

TEST(Hello, OfAnotherProtocolIsHarmlessToTheTerminal) {
  const nlohmann::json body = {{"protocol", -4}, {"tool_version", "\x1b[2J"}};
  EXPECT_THAT([&] { CheckHello(body, "0.1.0"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("?[2J"), HasSubstr("protocol -4"))));
}

TEST(Hello, TakesAnotherToolVersionOfTheSameProtocol) {
  EXPECT_NO_THROW(CheckHello(HelloToJson(MakeHello("0.2.0", "run")), "0.1.0"));
}

TEST(Hello, MayAskForTheDoctor) {
  EXPECT_EQ(CheckHello(HelloToJson(MakeHello("0.1.0", kDoctorRequest)), "0.1.0").request, "doctor");
}

TEST(Hello, OfAnUnknownRequestNamesTheKnownOnes) {
  EXPECT_THAT([] { CheckHello(HelloToJson(MakeHello("0.1.0", "ruin")), "0.1.0"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'ruin'"), HasSubstr("knows run, doctor, status"))));
}

class IllFormed : public testing::TestWithParam<std::string_view> {};

TEST_P(IllFormed, IsRefused) {
  const nlohmann::json body = nlohmann::json::parse(GetParam());
  EXPECT_THROW(CheckHello(body, "0.1.0"), Error);
}

INSTANTIATE_TEST_SUITE_P(
    Hello, IllFormed,
    testing::Values(
        "null", "[]", "{}", R"({"protocol":"1"})", R"({"protocol":2})",
        R"({"protocol":2,"tool_version":"0.1.0","nonce":"short","request":"run"})",
        R"({"protocol":2,"tool_version":"0.1.0","nonce":"0123456789abcdef0123456789abcdeg","request":"run"})",
        R"({"protocol":2,"tool_version":1,"nonce":"0123456789abcdef0123456789abcdef","request":"run"})",
        R"({"protocol":2,"tool_version":"","nonce":"0123456789abcdef0123456789abcdef","request":"run","more":1})"));

}  // namespace
}  // namespace rdmabench
