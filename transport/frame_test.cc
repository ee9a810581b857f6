#include "transport/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Feeds as much as the decoder wants at a time.
std::optional<std::string> FeedAll(FrameDecoder& decoder, std::string_view bytes) {
  std::optional<std::string> frame;
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), decoder.wanted());
    frame = decoder.Feed(bytes.substr(0, count));
    bytes.remove_prefix(count);
  }
  return frame;
}

TEST(EncodeFrame, PutsTheLengthBeforeTheObject) {
  EXPECT_EQ(EncodeFrame("bye", {{"a", 1}}), std::string("\0\0\0\x0f{\"bye\":{\"a\":1}}", 19));
}

TEST(EncodeFrame, RepairsTextsThatAreNotUtf8) {
  EXPECT_THAT(EncodeFrame("bye", {{"a", "\xff"}}), HasSubstr("\xef\xbf\xbd"));
}

TEST(EncodeFrame, RefusesABodyBeyondTheLimit) {
  EXPECT_THAT([] { EncodeFrame("results", std::string(kMaxFrame, 'x')); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'results'"), HasSubstr("16777216"))));
}

TEST(FrameDecoder, AssemblesAFrameThatComesByteByByte) {
  FrameDecoder decoder;
  const std::string bytes = EncodeFrame("bye", {{"a", 1}});
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    EXPECT_EQ(decoder.Feed({&bytes[i], 1}), std::nullopt);
    EXPECT_FALSE(decoder.empty());
  }
  EXPECT_EQ(decoder.Feed({&bytes.back(), 1}), R"({"bye":{"a":1}})");
  EXPECT_TRUE(decoder.empty());
}

TEST(FrameDecoder, NeverWantsBytesOfTheFrameAfter) {
  FrameDecoder decoder;
  EXPECT_EQ(decoder.wanted(), 4U);
  decoder.Feed(std::string_view("\0\0", 2));
  EXPECT_EQ(decoder.wanted(), 2U);
  decoder.Feed(std::string_view("\0\x05", 2));
  EXPECT_EQ(decoder.wanted(), 5U);
  decoder.Feed(std::string_view("{}"));
  EXPECT_EQ(decoder.wanted(), 3U);
  EXPECT_EQ(decoder.Feed(std::string_view("   ")), "{}   ");
  EXPECT_EQ(decoder.wanted(), 4U);
}

TEST(FrameDecoder, TakesOneFrameAfterTheOther) {
  FrameDecoder decoder;
  EXPECT_EQ(FeedAll(decoder, EncodeFrame("a", 1)), R"({"a":1})");
  EXPECT_EQ(FeedAll(decoder, EncodeFrame("b", 2)), R"({"b":2})");
}

TEST(FrameDecoder, RefusesFourGibibytesAtTheHeader) {
  FrameDecoder decoder;
  EXPECT_THAT([&] { FeedAll(decoder, "\xff\xff\xff\xff"); },
              ThrowsMessage<Error>(HasSubstr("4294967295 bytes, allowed are 1 to 1048576")));
}

TEST(FrameDecoder, RefusesAnEmptyFrame) {
  FrameDecoder decoder;
  EXPECT_THROW(FeedAll(decoder, std::string_view("\0\0\0\0", 4)), Error);
}

TEST(FrameDecoder, TakesLargerFramesOnceAllowed) {
  const std::string bytes = EncodeFrame("results", std::string(kMaxFrameBeforeAcceptance, 'x'));
  FrameDecoder before;
  EXPECT_THROW(FeedAll(before, bytes), Error);
  FrameDecoder after;
  after.set_limit(kMaxFrame);
  EXPECT_EQ(FeedAll(after, bytes)->size(), bytes.size() - 4);
}

TEST(FrameDecoder, RecognisesOtherProtocols) {
  FrameDecoder http;
  EXPECT_THAT([&] { FeedAll(http, "GET "); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'GET '"), HasSubstr("looks like HTTP"))));
  FrameDecoder ssh;
  EXPECT_THAT([&] { FeedAll(ssh, "SSH-"); }, ThrowsMessage<Error>(HasSubstr("looks like SSH")));
  FrameDecoder tls;
  EXPECT_THAT([&] { FeedAll(tls, std::string_view("\x16\x03\x01\x00", 4)); },
              ThrowsMessage<Error>(HasSubstr("looks like TLS")));
  FrameDecoder other;
  EXPECT_THAT([&] { FeedAll(other, "0018"); },
              ThrowsMessage<Error>(HasSubstr("'0018', which looks like another protocol")));
}

TEST(ParseFrame, GivesKindAndBody) {
  const auto [kind, body] = ParseFrame(R"( { "plan" : {"tests":[]} } )");
  EXPECT_EQ(kind, "plan");
  EXPECT_EQ(body, nlohmann::json::parse(R"({"tests":[]})"));
}

TEST(ParseFrame, MayBeToldOfFewerValues) {
  const std::string_view text = R"({"plan":[1,2]})";
  EXPECT_NO_THROW(ParseFrame(text, 4));
  EXPECT_THAT([&] { ParseFrame(text, 3); }, ThrowsMessage<Error>(HasSubstr("more than 3 values")));
}

class NoFrame : public testing::TestWithParam<std::string_view> {};

TEST_P(NoFrame, IsRefused) { EXPECT_THROW(ParseFrame(GetParam()), Error); }

INSTANTIATE_TEST_SUITE_P(ParseFrame, NoFrame,
                         testing::Values("{}", "[]", "1", "null", R"("plan")", R"({"a":1,"b":2})",
                                         R"({"a":1,"a":2})", "{", ""));

}  // namespace
}  // namespace rdmabench
