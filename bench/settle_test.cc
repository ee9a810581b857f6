#include "bench/settle.h"

#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "transport/catalogue.h"
#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/frame.h"
#include "transport/loopback.h"
#include "transport/peer_error.h"
#include "transport/session.h"
#include "transport/socket.h"

namespace rdmabench {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds kNever{60};

Error Own() { return {Blame::kRun, "the own reason", "look here"}; }
// What follows from something else that went wrong before.
Error Flushed() { return ErrorOf(RowOfCompletion(IBV_WC_WR_FLUSH_ERR), Blame::kRun, "flushed"); }

// The client's side; the server is played by hand.
class SettleTest : public testing::Test {
 protected:
  SettleTest() { session_.Begin("running"); }
  ~SettleTest() override { peer_.reset(); }  // first: the session waits for it

  // Returns when it has come.
  void PeerTells(Error error) {
    error.At("server", "warming up");
    SendAll(*peer_, EncodeFrame("error", ErrorToJson(error)));
    ASSERT_TRUE(session_.AwaitPeerReason(In(kTestPatience)));
  }
  // What the peer has told, as this side's waiting for a frame throws it.
  Error ToldByPeer() const { return session_.failure().value(); }
  // What the peer is told.
  Json Told() {
    const auto [kind, body] = ReadFrame(*peer_).value();
    EXPECT_EQ(kind, "error");
    return body;
  }
  Error SettleAsClient(const Error& error, const std::function<Error(Error)>& explain = {}) {
    return Settle(session_, error, "client", explain);
  }

  ConnectedPair pair_ = Connect();
  std::optional<Connection> peer_{std::move(pair_.accepted)};
  Session session_{std::move(pair_.dialled), {.peer_timeout = kNever, .handshake_timeout = kNever}};
};

TEST_F(SettleTest, TellsThePeerWhyAndWhere) {
  PeerTells({Blame::kRun, "the peer's reason"});
  SettleAsClient(Own());
  EXPECT_TRUE(session_.has_failed());
  EXPECT_EQ(Told(), Json({{"message", "the own reason"},
                          {"blame", "run"},
                          {"remedy", "look here"},
                          {"host", "client"},
                          {"step", "running"}}));
}

TEST_F(SettleTest, HasThePeersReasonBesideItsOwn) {
  PeerTells({Blame::kRun, "the peer's reason"});
  const Error settled = SettleAsClient(Own());
  EXPECT_STREQ(settled.what(), "the own reason");
  EXPECT_EQ(settled.host(), "client");
  EXPECT_EQ(settled.step(), "running");
  ASSERT_NE(settled.peer(), nullptr);
  EXPECT_STREQ(settled.peer()->what(), "the peer's reason");
  EXPECT_EQ(settled.peer()->host(), "server");
}

TEST_F(SettleTest, PutsThePeersReasonFirstWhereItsOwnIsButAConsequence) {
  PeerTells({Blame::kRun, "the peer's reason"});
  const Error settled = SettleAsClient(Flushed());
  EXPECT_STREQ(settled.what(), "peer: the peer's reason");
  EXPECT_EQ(settled.host(), "server");
  ASSERT_NE(settled.peer(), nullptr);
  EXPECT_EQ(settled.peer()->entry(), "IBV_WC_WR_FLUSH_ERR");
  EXPECT_EQ(settled.peer()->host(), "client");
}

TEST_F(SettleTest, KeepsItsOwnFirstOfTwoConsequences) {
  PeerTells(Flushed());
  const Error settled = SettleAsClient(Flushed());
  EXPECT_EQ(settled.host(), "client");
  ASSERT_NE(settled.peer(), nullptr);
  EXPECT_EQ(settled.peer()->host(), "server");
}

TEST_F(SettleTest, LeavesThePeersErrorAsItIsWhereThisSideHasNone) {
  PeerTells({Blame::kRun, "the peer's reason"});
  const Error settled = SettleAsClient(ToldByPeer(), [](const Error&) { return Own(); });
  EXPECT_STREQ(settled.what(), "peer: the peer's reason");
  EXPECT_EQ(settled.host(), "server");
  EXPECT_EQ(settled.peer(), nullptr);
  EXPECT_FALSE(session_.has_failed()) << "the peer would be told its own words";
}

TEST_F(SettleTest, HasTheReasonWhyThisSideEndedTheSessionBesideThePeersError) {
  PeerTells({Blame::kRun, "the peer's reason"});
  session_.Abort(Own());
  const Error settled = SettleAsClient(ToldByPeer());
  EXPECT_STREQ(settled.what(), "the own reason");
  ASSERT_NE(settled.peer(), nullptr);
  EXPECT_STREQ(settled.peer()->what(), "the peer's reason");
  EXPECT_EQ(Told()["message"], "the own reason");
}

TEST_F(SettleTest, ExplainsItsOwnErrorToBothSides) {
  PeerTells({Blame::kRun, "the peer's reason"});
  const auto explain = [](Error error) { return error.AdviseFirst("the port is down"); };
  EXPECT_EQ(SettleAsClient(Own(), explain).remedy(), "the port is down; look here");
  EXPECT_EQ(Told()["remedy"], "the port is down; look here");
}

TEST_F(SettleTest, EndsWithItsOwnReasonWhereThePeerIsGone) {
  peer_.reset();
  EXPECT_THROW(session_.Receive("results", In(kTestPatience), "its results"), Error);
  const Error settled = SettleAsClient(session_.failure().value());
  EXPECT_EQ(settled.entry(), "closed");
  EXPECT_EQ(settled.host(), "client");
  EXPECT_EQ(settled.peer(), nullptr);
}

TEST_F(SettleTest, AsksNothingOfAPeerThatIsToldOfAnInterrupt) {
  PeerTells({Blame::kRun, "the peer's reason"});
  const Error settled = SettleAsClient({Blame::kInterrupted, "interrupted"});
  EXPECT_EQ(settled.blame(), Blame::kInterrupted);
  EXPECT_EQ(settled.peer(), nullptr);
  EXPECT_EQ(Told()["blame"], "interrupted");
}

TEST_F(SettleTest, EndsWithoutThePeersReasonWhereThatLivesAndSaysNothing) {
  const Error settled = SettleAsClient(Own());
  EXPECT_STREQ(settled.what(), "the own reason");
  EXPECT_EQ(settled.peer(), nullptr);
  EXPECT_EQ(Told()["message"], "the own reason");
}

TEST_F(SettleTest, HappensOnce) {
  SettleAsClient({Blame::kInterrupted, "interrupted"});
  const Error next = SettleAsClient(Own(), [](const Error&) { return Flushed(); });
  EXPECT_STREQ(next.what(), "the own reason");
  EXPECT_EQ(next.host(), "");
  session_.Send("bye", Json::object());
  EXPECT_EQ(Told()["message"], "interrupted");
  EXPECT_EQ(ReadFrame(*peer_)->first, "bye") << "the peer is told another time";
}

}  // namespace
}  // namespace rdmabench
