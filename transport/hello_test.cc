#include "transport/hello.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "transport/error.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::StrEq;
using ::testing::Throws;
using ::testing::ThrowsMessage;

// Throws that the two sides do not speak the same, in these words.
template <class Words>
auto Differs(Words words) {
  return Throws<Error>(
      AllOf(Property(&Error::entry, "version"), Property(&Error::what, std::move(words))));
}

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
  EXPECT_THAT([&] { CheckHello(body, "0.1.0"); }, Differs(StrEq(text)));
}

TEST(Hello, OfAnotherProtocolIsHarmlessToTheTerminal) {
  const nlohmann::json body = {{"protocol", -4}, {"tool_version", "\x1b[2J"}};
  EXPECT_THAT([&] { CheckHello(body, "0.1.0"); },
              Differs(AllOf(HasSubstr("?[2J"), HasSubstr("protocol -4"))));
}

TEST(Hello, TakesAnotherToolVersionOfTheSameProtocol) {
  EXPECT_NO_THROW(CheckHello(HelloToJson(MakeHello("0.2.0", "run")), "0.1.0"));
}

TEST(Hello, MayAskForTheDoctor) {
  EXPECT_EQ(CheckHello(HelloToJson(MakeHello("0.1.0", kDoctorRequest)), "0.1.0").request, "doctor");
}

TEST(Hello, OfAnUnknownRequestNamesTheKnownOnes) {
  EXPECT_THAT([] { CheckHello(HelloToJson(MakeHello("0.1.0", "ruin")), "0.1.0"); },
              Differs(AllOf(HasSubstr("'ruin'"), HasSubstr("knows run, doctor, status"))));
}

// A hello of this protocol in which one field is replaced.
struct Field {
  std::string_view key;
  std::string_view value;
};

static_assert(kProtocolVersion == 6, "the numbers of the right value and the wrong type below");

class IllFormed : public testing::TestWithParam<Field> {};

TEST_P(IllFormed, IsRefusedByThatField) {
  nlohmann::json body = HelloToJson(MakeHello("0.1.0", "run"));
  body[std::string(GetParam().key)] = nlohmann::json::parse(GetParam().value);
  EXPECT_THAT([&] { CheckHello(body, "0.1.0"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("hello"), HasSubstr(GetParam().key))));
}

INSTANTIATE_TEST_SUITE_P(Hello, IllFormed,
                         testing::Values(Field{"protocol", R"("6")"}, Field{"protocol", "6.0"},
                                         Field{"protocol", "null"}, Field{"tool_version", "1"},
                                         Field{"tool_version", R"("\u001b[2J")"},
                                         Field{"nonce", R"("short")"},
                                         Field{"nonce", R"("0123456789abcdef0123456789abcdeg")"},
                                         Field{"nonce", R"("0123456789ABCDEF0123456789ABCDEF")"},
                                         Field{"nonce", "{}"}, Field{"request", "true"},
                                         Field{"request", R"("run\ndoctor")"}, Field{"more", "1"}));

TEST(Hello, IsAnObject) {
  for (const char* text : {"null", "[]", "{}", "7"}) {
    EXPECT_THROW(CheckHello(nlohmann::json::parse(text), "0.1.0"), Error) << text;
  }
}

}  // namespace
}  // namespace rdmabench
