#include "transport/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "transport/frame.h"
#include "transport/loopback.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Json = nlohmann::json;

// Silence is judged quickly where a test is about it, and never elsewhere.
constexpr milliseconds kShort{60};
constexpr milliseconds kNever{60'000};

SessionOptions Patient() {
  return {.heartbeat = milliseconds(10), .peer_timeout = kNever, .handshake_timeout = kNever};
}

Deadline Patience() { return In(kTestPatience); }

std::string Raw(std::string_view text) {
  std::string frame(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) frame[i] = static_cast<char>(text.size() >> (24 - 8 * i));
  return frame + std::string(text);
}

// A session of the client with a server that the test plays byte by byte.
class AgainstRawPeer : public testing::Test {
 protected:
  // Ends the session before, if there is one.
  void Start(const SessionOptions& options) {
    HangUp();
    session_.reset();
    ConnectedPair pair = Connect();
    peer_.emplace(std::move(pair.accepted));
    session_.emplace(std::move(pair.dialled), options);
  }
  void HangUp() { peer_.reset(); }

  void SetUp() override { Start(Patient()); }
  void TearDown() override {
    HangUp();  // first: the session waits for it
    session_.reset();
  }

  Json ReceiveResults() { return session_->Receive("results", Patience(), "the results"); }
  // Waits until the session has failed.
  std::string FailureText() {
    try {
      ReceiveResults();
    } catch (const Error& error) {
      EXPECT_TRUE(session_->abort_flag());
      EXPECT_STREQ(session_->failure().value().what(), error.what());
      return error.what();
    }
    return "none";
  }

  std::optional<Connection> peer_;
  std::optional<Session> session_;
};

TEST(Session, CarriesFramesBothWays) {
  ConnectedPair pair = Connect();
  Session client(std::move(pair.dialled), Patient());
  SessionOptions options = Patient();
  options.side = "server";
  options.peer = "client";
  Session server(std::move(pair.accepted), options);
  client.Send("plan", {{"tests", Json::array()}});
  EXPECT_EQ(server.Receive("plan", Patience(), "the plan"), Json({{"tests", Json::array()}}));
  server.Send("queued", {{"place", 1}});
  server.Send("accepted", Json::object());
  EXPECT_EQ(client.ReceiveAny({"accepted", "queued"}, Patience(), "the answer").first, "queued");
  EXPECT_EQ(client.ReceiveAny({"accepted", "queued"}, Patience(), "the answer").first, "accepted");
  EXPECT_FALSE(client.abort_flag());
  EXPECT_FALSE(server.failure());
  client.ExpectClose();
  server.ExpectClose();
}

TEST_F(AgainstRawPeer, TakesAFrameThatComesByteByByte) {
  const std::string bytes = EncodeFrame("results", {{"a", 1}});
  for (const char& byte : bytes) SendAll(*peer_, {&byte, 1});
  EXPECT_EQ(ReceiveResults(), Json({{"a", 1}}));
}

TEST_F(AgainstRawPeer, TakesManyFramesThatComeAtOnce) {
  std::string bytes;
  for (int i = 0; i < 100; ++i)
    bytes += EncodeFrame("results", i) + EncodeFrame("heartbeat", Json::object());
  SendAll(*peer_, bytes);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(ReceiveResults(), i);
}

TEST_F(AgainstRawPeer, SendsHeartbeatsThatSayWhatItDoes) {
  session_->Begin("running");
  session_->Count(12345);
  const std::string expected = Raw(R"({"heartbeat":{"messages":12345,"step":"running"}})");
  std::string seen;
  while (seen.find(expected) == std::string::npos) {
    std::array<char, 100> buffer = {};
    const std::array<int, 1> fd = {peer_->fd()};
    ASSERT_TRUE(WaitReady(fd, {}, Patience())[0]) << seen;
    seen.append(buffer.data(), peer_->Read(buffer));
  }
}

TEST_F(AgainstRawPeer, SaysWhatThePeerDidLast) {
  SendAll(*peer_, EncodeFrame("heartbeat", {{"step", "running"}, {"messages", 12345}}));
  HangUp();
  EXPECT_THAT(FailureText(), AllOf(HasSubstr("closed the connection; it was last heard "),
                                   HasSubstr(" s ago, while running (12345 messages)")));
}

TEST_F(AgainstRawPeer, FailsOnAHeartbeatThatIsNone) {
  SendAll(*peer_, EncodeFrame("heartbeat", {{"step", 7}}));
  EXPECT_THAT(FailureText(), HasSubstr("heartbeat.step"));
}

TEST_F(AgainstRawPeer, FailsWhenFourGibibytesAreAnnounced) {
  SendAll(*peer_, "\xff\xff\xff\xff");
  EXPECT_THAT(FailureText(), AllOf(HasSubstr("the server (127.0.0.1:"), HasSubstr("4294967295")));
}

TEST_F(AgainstRawPeer, TakesLargeFramesOnceAccepted) {
  session_->Accepted();
  SendAll(*peer_, EncodeFrame("results", std::string(2 * kMaxFrameBeforeAcceptance, 'x')));
  EXPECT_EQ(ReceiveResults().get<std::string>().size(), 2 * kMaxFrameBeforeAcceptance);
}

TEST_F(AgainstRawPeer, FailsAtTheEndOfHalfAFrame) {
  SendAll(*peer_, EncodeFrame("results", {{"a", 1}}).substr(0, 7));
  HangUp();
  EXPECT_THAT(FailureText(), HasSubstr("closed the connection in the middle of a frame"));
}

TEST_F(AgainstRawPeer, FailsWhenThePeerCloses) {
  const std::string address = session_->peer().ToString();
  HangUp();
  EXPECT_THAT(FailureText(), HasSubstr("the server (" + address + ") closed the connection"));
  EXPECT_THROW(session_->Send("plan", {}), Error);
}

TEST_F(AgainstRawPeer, TellsAResetFromAClose) {
  peer_->FinishWriting();
  EXPECT_THAT(FailureText(), HasSubstr("closed the connection; "));
  EXPECT_EQ(session_->failure()->entry(), "closed");
  Start(Patient());
  const std::array<int, 1> fd = {peer_->fd()};
  ASSERT_TRUE(WaitReady(fd, {}, Patience())[0]) << "unread bytes make the close a reset";
  HangUp();
  EXPECT_THAT(FailureText(), HasSubstr(" broke: "));
  EXPECT_EQ(session_->failure()->entry(), "reset");
}

TEST_F(AgainstRawPeer, GivesTheFramesThatCameBeforeTheEnd) {
  SendAll(*peer_, EncodeFrame("results", 1) + EncodeFrame("results", 2));
  HangUp();
  EXPECT_EQ(ReceiveResults(), 1);
  EXPECT_EQ(ReceiveResults(), 2);
  EXPECT_THAT(FailureText(), HasSubstr("closed the connection"));
}

TEST_F(AgainstRawPeer, TakesAnExpectedCloseForNoFailure) {
  session_->ExpectClose();
  HangUp();
  EXPECT_THAT([&] { ReceiveResults(); }, ThrowsMessage<Error>(HasSubstr("has closed")));
  EXPECT_FALSE(session_->failure());
  EXPECT_FALSE(session_->abort_flag());
}

TEST_F(AgainstRawPeer, ForgetsAFailureThatTurnsOutToBeAnExpectedClose) {
  HangUp();
  FailureText();
  session_->ExpectClose();
  EXPECT_FALSE(session_->failure());
  EXPECT_FALSE(session_->abort_flag());
}

TEST_F(AgainstRawPeer, TellsThePeersError) {
  Error error(Blame::kEnvironment, "cannot open rxe0", "load rdma_rxe");
  SendAll(*peer_, EncodeFrame("error", ErrorToJson(error.At("server", "opening the device"))));
  EXPECT_EQ(FailureText(), "peer: cannot open rxe0");
  const Error failure = session_->failure().value();
  EXPECT_EQ(failure.blame(), Blame::kEnvironment);
  EXPECT_EQ(failure.host(), "server");
  EXPECT_THROW(session_->Send("plan", {}), Error);
}

TEST_F(AgainstRawPeer, FailsOnAHundredThousandLevels) {
  SendAll(*peer_, Raw(std::string(100'000, '[')));
  EXPECT_THAT(FailureText(), HasSubstr("nested"));
}

TEST_F(AgainstRawPeer, TakesManyValuesOnlyOnceAccepted) {
  std::string list = R"({"results":[0)";
  for (std::size_t i = 0; i < kMostValuesBeforeAcceptance; ++i) list += ",0";
  list += "]}";
  SendAll(*peer_, Raw(list));
  EXPECT_THAT(FailureText(), HasSubstr("more than 100000 values"));
  Start(Patient());
  session_->Accepted();
  SendAll(*peer_, Raw(list));
  EXPECT_EQ(ReceiveResults().size(), kMostValuesBeforeAcceptance + 1);
}

TEST_F(AgainstRawPeer, FailsOnKeysThatStandTwice) {
  SendAll(*peer_, Raw(R"({"results":{"a":1,"a":2}})"));
  EXPECT_THAT(FailureText(), HasSubstr("twice"));
}

TEST_F(AgainstRawPeer, FailsOnAFrameOfTwoKinds) {
  SendAll(*peer_, Raw(R"({"results":1,"bye":{}})"));
  EXPECT_THAT(FailureText(), HasSubstr("one key"));
  EXPECT_EQ(session_->failure()->entry(), "no_frame");
  EXPECT_THAT(session_->failure()->remedy(), HasSubstr("--version"));
}

TEST_F(AgainstRawPeer, FailsWhenMoreComesThanIsRead) {
  std::string bytes;
  for (int i = 0; i < 1100; ++i) bytes += EncodeFrame("results", i);
  SendAll(*peer_, bytes);
  while (!session_->abort_flag()) WaitReady({}, {}, In(milliseconds(1)));
  EXPECT_THAT(session_->failure()->what(),
              HasSubstr("sends faster than this side reads: 1024 frames"));
}

TEST_F(AgainstRawPeer, RefusesWhatComesOutOfTurn) {
  SendAll(*peer_, EncodeFrame("connected", {}));
  EXPECT_THAT(
      [&] { ReceiveResults(); },
      ThrowsMessage<Error>(HasSubstr("sent 'connected' while this side waited for the results")));
}

TEST_F(AgainstRawPeer, WaitsNoLongerThanTheDeadline) {
  EXPECT_THAT([&] { session_->Receive("results", In(milliseconds(50)), "the results"); },
              ThrowsMessage<Error>(HasSubstr(
                  "did not send the results within 0.05 s; nothing was heard of it before")));
  EXPECT_FALSE(session_->failure());
}

TEST_F(AgainstRawPeer, WaitsNoLongerForOneThatLivesAndDoesNotGoOn) {
  std::atomic<bool> over = false;
  std::thread peer([&] {
    while (!over) {
      SendAll(*peer_, EncodeFrame("heartbeat", {{"step", "getting ready"}}));
      WaitReady({}, {}, In(milliseconds(5)));
    }
  });
  EXPECT_THAT([&] { session_->Receive("results", In(milliseconds(200)), "the results"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("did not send the results within 0.2 s"),
                                         HasSubstr(" s ago, while getting ready"))));
  over = true;
  peer.join();
}

TEST_F(AgainstRawPeer, FailsWhenThePeerIsSilentBeforeAcceptance) {
  Start({.heartbeat = milliseconds(10), .peer_timeout = kNever, .handshake_timeout = kShort});
  EXPECT_THAT(FailureText(),
              HasSubstr("has been silent for 0.06 s; nothing was heard of it before"));
}

TEST_F(AgainstRawPeer, FailsWhenThePeerIsSilentAfterAcceptance) {
  Start({.heartbeat = milliseconds(10), .peer_timeout = kShort, .handshake_timeout = kNever});
  session_->Accepted();
  SendAll(*peer_, EncodeFrame("heartbeat", {{"step", "running"}}));
  EXPECT_THAT(FailureText(), AllOf(HasSubstr("has been silent for 0.06 s; it was last heard "),
                                   HasSubstr(" s ago, while running")));
}

TEST_F(AgainstRawPeer, DoesNotChargeItsOwnLatenessToThePeer) {
  session_->SetPeerTimeout(milliseconds(500));
  std::promise<void> late;
  session_->SetWatch([&late](Deadline) {
    WaitReady({}, {}, In(milliseconds(700)));  // the thread does nothing else meanwhile
    late.set_value();
    return Deadline::max();
  });
  late.get_future().get();
  SendAll(*peer_, EncodeFrame("results", 1));
  EXPECT_EQ(ReceiveResults(), 1);
  EXPECT_FALSE(session_->failure());
  session_->SetWatch({});
}

TEST_F(AgainstRawPeer, SendsWhatIsQueuedBeforeItCloses) {
  const std::size_t bytes = 1 << 20;
  session_->Send("results", std::string(bytes, 'x'));
  session_->Send("bye", Json::object());
  auto closing = std::async(std::launch::async, [this] { session_.reset(); });
  EXPECT_EQ(ReadFrame(*peer_)->second.get<std::string>().size(), bytes);
  EXPECT_EQ(ReadFrame(*peer_)->first, "bye");
  EXPECT_FALSE(ReadFrame(*peer_));
  HangUp();
  closing.get();
}

TEST_F(AgainstRawPeer, TellsThePeerWhyItGivesUp) {
  session_->Fail(Error(Blame::kRun, "no completion for 10 s", "look at the counters"));
  const auto [kind, body] = ReadFrame(*peer_).value();
  EXPECT_EQ(kind, "error");
  EXPECT_EQ(body["message"], "no completion for 10 s");
  EXPECT_EQ(body["host"], "client");
}

TEST_F(AgainstRawPeer, IsInterruptedAndCanStillTellThePeer) {
  const Interrupt interrupt;
  SessionOptions options = Patient();
  options.interrupt = &interrupt;
  Start(options);
  kill(getpid(), SIGINT);
  EXPECT_EQ(FailureText(), "interrupted");
  EXPECT_EQ(session_->failure()->blame(), Blame::kInterrupted);
  EXPECT_NO_THROW(session_->Send("partial", Json::object()));
  session_->Fail(session_->failure().value());
  EXPECT_EQ(ReadFrame(*peer_)->first, "partial");
  EXPECT_EQ(ReadFrame(*peer_)->second["blame"], "interrupted");
}

TEST_F(AgainstRawPeer, CallsTheWatchWhenItWantsToBeCalled) {
  std::promise<int> third;
  session_->SetWatch([&third, calls = 0](Deadline now) mutable {
    if (++calls == 3) third.set_value(calls);
    return calls < 3 ? now + milliseconds(5) : Deadline::max();
  });
  EXPECT_EQ(third.get_future().get(), 3);
  session_->SetWatch({});
}

TEST_F(AgainstRawPeer, HasNoWatchRunningAfterItIsReplaced) {
  auto calls = std::make_unique<int>(0);
  session_->SetWatch([&calls](Deadline now) {
    ++*calls;
    return now;
  });
  session_->SetWatch({});
  calls.reset();
  EXPECT_FALSE(session_->failure());
}

TEST_F(AgainstRawPeer, IsAbortedFromAWatch) {
  session_->SetWatch([this](Deadline) {
    session_->Abort(Error(Blame::kRun, "stalled"));
    return Deadline::max();
  });
  EXPECT_EQ(FailureText(), "stalled");
  EXPECT_NO_THROW(session_->Send("partial", Json::object()));
}

TEST_F(AgainstRawPeer, IsAbortedByAWatchThatThrows) {
  session_->SetWatch([](Deadline) -> Deadline { throw Error(Blame::kRun, "cannot sample"); });
  EXPECT_EQ(FailureText(), "cannot sample");
}

TEST_F(AgainstRawPeer, PinsItsThreadOrSaysWhyNot) {
  EXPECT_NO_THROW(session_->PinThread(0));
  EXPECT_THAT([&] { session_->PinThread(100'000); },
              ThrowsMessage<Error>(HasSubstr("core 100000")));
}

}  // namespace
}  // namespace rdmabench
