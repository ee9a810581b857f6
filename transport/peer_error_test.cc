#include "transport/peer_error.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rdmabench {
namespace {

TEST(PeerError, ComesBackWithAllItsParts) {
  Error sent(Blame::kEnvironment, "cannot open rxe0", "load rdma_rxe");
  sent.At("server", "opening the device");
  const Error received = ErrorFromPeer(ErrorToJson(sent));
  EXPECT_STREQ(received.what(), "peer: cannot open rxe0");
  EXPECT_EQ(received.blame(), Blame::kEnvironment);
  EXPECT_EQ(received.remedy(), "load rdma_rxe");
  EXPECT_EQ(received.host(), "server");
  EXPECT_EQ(received.step(), "opening the device");
}

class EveryBlame : public testing::TestWithParam<Blame> {};

TEST_P(EveryBlame, ComesBack) {
  EXPECT_EQ(ErrorFromPeer(ErrorToJson(Error(GetParam(), "x"))).blame(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(PeerError, EveryBlame,
                         testing::Values(Blame::kRun, Blame::kUsage, Blame::kEnvironment));

TEST(PeerError, AnInterruptionThereIsAFailedRunHere) {
  const Error error = ErrorFromPeer(ErrorToJson(Error(Blame::kInterrupted, "interrupted")));
  EXPECT_EQ(error.blame(), Blame::kRun);
  EXPECT_NE(error.remedy().find("start it again"), std::string::npos);
}

TEST(PeerError, AMistakeInWhatWasAskedForIsNotThePeers) {
  const Error error = ErrorFromPeer(ErrorToJson(Error(Blame::kUsage, "--size 4096 is too much")));
  EXPECT_STREQ(error.what(), "--size 4096 is too much");
}

TEST(PeerError, LeavesOutWhatIsNotThere) {
  const nlohmann::json body = ErrorToJson(Error(Blame::kRun, "x"));
  EXPECT_EQ(body, nlohmann::json::parse(R"({"message":"x","blame":"run"})"));
}

TEST(PeerError, MakesTheBestOfAnyJson) {
  for (const char* text :
       {"null", "[]", "{}", R"({"message":5,"blame":[]})", R"({"message":""})"}) {
    const Error error = ErrorFromPeer(nlohmann::json::parse(text));
    EXPECT_STREQ(error.what(), "peer: it failed without saying why");
    EXPECT_EQ(error.blame(), Blame::kRun);
  }
}

TEST(PeerError, DoesNotLetThePeerWriteToTheTerminal) {
  const Error error = ErrorFromPeer({{"message", "\x1b[2J\nOK"}, {"remedy", "\x1b]0;x\x07"}});
  EXPECT_STREQ(error.what(), "peer: ?[2J OK");
  EXPECT_EQ(error.remedy(), "?]0;x?");
}

TEST(PeerError, CutsLongTexts) {
  const Error error = ErrorFromPeer({{"message", std::string(1 << 20, 'x')}});
  EXPECT_LT(std::string_view(error.what()).size(), 1100U);
}

}  // namespace
}  // namespace rdmabench
