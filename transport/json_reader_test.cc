#include "transport/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;
using ::testing::ThrowsMessage;

std::string Nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(ParseJson, BuildsWhatStandsThere) {
  const std::string text = R"({"a":[1,-2,2.5,true,null,"x"],"b":{"c":{},"d":[]},"e":"ü"})";
  EXPECT_EQ(ParseJson(text, "a test"), nlohmann::json::parse(text));
}

TEST(ParseJson, TakesThirtyTwoLevelsAndNoMore) {
  EXPECT_NO_THROW(ParseJson(Nested(32), "a test"));
  EXPECT_THAT([] { ParseJson(Nested(33), "a test"); },
              ThrowsMessage<Error>(HasSubstr("nested more than 32 levels")));
}

TEST(ParseJson, RefusesAHundredThousandLevels) {
  EXPECT_THAT([] { ParseJson(Nested(100'000), "a test"); },
              ThrowsMessage<Error>(HasSubstr("nested")));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_THAT([&] { ParseJson(objects, "a test"); }, ThrowsMessage<Error>(HasSubstr("nested")));
}

TEST(ParseJson, RefusesAKeyThatStandsThereTwice) {
  EXPECT_THAT([] { ParseJson(R"({"a":{"depth":1,"size":2,"depth":3}})", "a test"); },
              ThrowsMessage<Error>(HasSubstr("'depth' stands there twice")));
  EXPECT_NO_THROW(ParseJson(R"([{"a":1},{"a":1}])", "a test"));
}

TEST(ParseJson, RefusesWhatIsNotUtf8) {
  EXPECT_THAT([] { ParseJson("{\"a\":\"\xff\"}", "a test"); },
              ThrowsMessage<Error>(HasSubstr("UTF-8")));
}

TEST(ParseJson, RefusesMoreThanAMillionValues) {
  std::string list = "[0";
  for (int i = 0; i < 1'000'000; ++i) list += ",0";
  EXPECT_THAT([&] { ParseJson(list + "]", "a test"); },
              ThrowsMessage<Error>(HasSubstr("more than 1000000 values")));
}

TEST(ParseJson, NamesTheTextAndTheByteWhereItFails) {
  EXPECT_THAT([] { ParseJson(R"({"a":1]})", "configs/smoke.json"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("configs/smoke.json"), HasSubstr("byte 7"))));
}

TEST(ParseJson, BlamesWhomItIsTold) {
  try {
    ParseJson("", "a suite", Blame::kUsage);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kUsage);
  }
}

class RefusedText : public testing::TestWithParam<std::string_view> {};

TEST_P(RefusedText, IsRefused) { EXPECT_THROW(ParseJson(GetParam(), "a test"), Error); }

INSTANTIATE_TEST_SUITE_P(ParseJson, RefusedText,
                         testing::Values("", "{", "[1,]", "{}x", "nul", "01", "1e999", "NaN",
                                         "\"\n\"", "{'a':1}", R"({"a" 1})", "[1 2]", "/**/1"));

class Fields : public testing::Test {
 protected:
  const nlohmann::json json_ = ParseJson(R"({
      "depth": 128, "half": 2.9, "minus": -1, "wraps": 4294967297, "text": "5", "nothing": null,
      "huge": 18446744073709551615, "beyond": 18446744073709551616, "five": 5.0, "yes": true,
      "bytes": "00ff10ab", "upper": "FF", "escape": "\u001b[2J", "list": [1, 2], "mixed": [1, "2"], "reals": [99.9, 50],
      "names": ["a", "b"],
      "inner": {"lid": 3}, "inners": [{"lid": 1}, {"lid": 2}]})",
                                         "a test");
  JsonReader reader_{json_, "plan"};
};

TEST_F(Fields, AreReadByType) {
  EXPECT_EQ(reader_.Number("depth", 1, 16384), 128U);
  EXPECT_EQ(reader_.Number("huge", 0, std::numeric_limits<std::uint64_t>::max()),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(reader_.Real("half", 0, 10), 2.9);
  EXPECT_EQ(reader_.Real("minus", -1, 1), -1.0);
  EXPECT_TRUE(reader_.Flag("yes"));
  EXPECT_EQ(reader_.Text("text"), "5");
  EXPECT_THAT(reader_.Numbers("list", 0, 10, 2), ElementsAre(1, 2));
  EXPECT_THAT(reader_.Reals("reals", 0, 100, 2), ElementsAre(99.9, 50.0));
  EXPECT_THAT(reader_.Texts("names", 2), ElementsAre("a", "b"));
  EXPECT_EQ(reader_.Object("inner").Number("lid", 0, 65535), 3U);
  EXPECT_EQ(reader_.Objects("inners", 2)[1].Number("lid", 0, 65535), 2U);
  EXPECT_EQ(reader_.Raw("inner"), json_["inner"]);
}

TEST_F(Fields, HoldBytesAsHexadecimalDigits) {
  EXPECT_EQ(reader_.Hex("bytes", 4), "00ff10ab");
  EXPECT_THAT([&] { reader_.Hex("bytes", 3); },
              ThrowsMessage<Error>("plan.bytes is \"00ff10ab\", allowed are 6 hexadecimal digits"));
  EXPECT_THROW(reader_.Hex("bytes", 5), Error);
  EXPECT_THROW(reader_.Hex("upper", 1), Error);
  EXPECT_THROW(reader_.Hex("depth", 1), Error);
}

TEST_F(Fields, AreFoundOrNot) {
  EXPECT_TRUE(reader_.Has("nothing"));
  EXPECT_FALSE(reader_.Has("absent"));
  EXPECT_THAT([&] { reader_.Number("absent", 0, 1); },
              ThrowsMessage<Error>("plan.absent is missing"));
}

TEST_F(Fields, NameThePathTheValueAndWhatIsAllowed) {
  EXPECT_THAT([&] { reader_.Number("depth", 1, 64); },
              ThrowsMessage<Error>("plan.depth is 128, allowed are whole numbers from 1 to 64"));
  EXPECT_THAT([&] { reader_.Objects("inners", 2)[1].Number("lid", 7, 9); },
              ThrowsMessage<Error>(HasSubstr("plan.inners[1].lid is 2, allowed are")));
  EXPECT_THAT([&] { reader_.Numbers("mixed", 0, 9, 2); },
              ThrowsMessage<Error>(HasSubstr("plan.mixed[1] is \"2\"")));
  EXPECT_THAT([&] { reader_.Reals("reals", 60, 100, 2); },
              ThrowsMessage<Error>(HasSubstr("plan.reals[1] is 50, allowed are numbers from")));
  EXPECT_THAT([&] { reader_.Real("half", 3, 4.5); },
              ThrowsMessage<Error>("plan.half is 2.9, allowed are numbers from 3.0 to 4.5"));
}

TEST_F(Fields, AreNeverWrappedOrCut) {
  for (const char* key :
       {"half", "minus", "wraps", "text", "nothing", "beyond", "five", "yes", "list", "inner"}) {
    EXPECT_THAT([&] { reader_.Number(key, 0, 0xffffffff); },
                ThrowsMessage<Error>(HasSubstr(std::string("plan.") + key + " is ")));
  }
}

TEST_F(Fields, OfAnotherTypeAreRefused) {
  EXPECT_THROW(reader_.Flag("depth"), Error);
  EXPECT_THROW(reader_.Text("depth"), Error);
  EXPECT_THROW(reader_.Real("text", 0, 10), Error);
  EXPECT_THROW(reader_.Object("list"), Error);
  EXPECT_THROW(reader_.Objects("inner", 5), Error);
  EXPECT_THROW(reader_.Texts("mixed", 5), Error);
}

TEST_F(Fields, BeyondTheirLengthAreRefused) {
  EXPECT_THROW(reader_.Text("escape", 3), Error);
  EXPECT_THAT([&] { reader_.Numbers("list", 0, 9, 1); },
              ThrowsMessage<Error>("plan.list is a list of 2, allowed are lists of up to 1"));
}

TEST_F(Fields, WithControlCharactersAreRefusedAndShownHarmlessly) {
  EXPECT_THAT([&] { reader_.Text("escape"); },
              ThrowsMessage<Error>(HasSubstr(R"(plan.escape is "\u001b[2J")")));
}

TEST(JsonReader, TakesWholeNumbersThatWereNotParsed) {
  const nlohmann::json json = {{"depth", 5}};
  EXPECT_EQ(JsonReader(json, "plan").Number("depth", 0, 9), 5U);
}

TEST(JsonReader, ShortensWhatItShows) {
  const nlohmann::json json = {{"depth", std::string(5000, 'x')}};
  JsonReader reader(json, "plan");
  try {
    reader.Number("depth", 0, 1);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_LT(std::string_view(error.what()).size(), 160U);
  }
}

TEST(JsonReader, RefusesKeysThatNobodyAskedFor) {
  const nlohmann::json json = {{"depth", 5}, {"dept", 6}};
  JsonReader reader(json, "plan.queue", Blame::kUsage);
  reader.Number("depth", 0, 9);
  EXPECT_THAT([&] { reader.Done(); },
              ThrowsMessage<Error>("plan.queue has an unknown key 'dept'; did you mean depth?"));
  EXPECT_THAT([&] { reader.Done(); },
              Throws<Error>(Property(&Error::remedy, HasSubstr("known keys: depth"))));
  reader.Has("dept");
  EXPECT_NO_THROW(reader.Done());
}

TEST(JsonReader, RefusesADocumentThatIsNoObject) {
  const nlohmann::json json = {1, 2};
  EXPECT_THAT([&] { JsonReader(json, ""); }, ThrowsMessage<Error>(HasSubstr("the document is")));
}

TEST(JsonReader, GivesTheBlameToInnerObjects) {
  const nlohmann::json json = {{"queue", {{"depth", -1}}}};
  JsonReader reader(json, "", Blame::kUsage);
  try {
    reader.Object("queue").Number("depth", 0, 1);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("queue.depth is -1"));
  }
}

}  // namespace
}  // namespace rdmabench
