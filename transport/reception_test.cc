#include "transport/reception.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>

#include "transport/error.h"
#include "transport/frame.h"
#include "transport/handshake.h"
#include "transport/hello.h"
#include "transport/loopback.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Json = nlohmann::json;

constexpr milliseconds kShort{40};
constexpr milliseconds kNever{60'000};
constexpr std::string_view kCrowd = "127.0.0.1";
constexpr std::string_view kElsewhere = "127.0.0.2";

Secret Right() { return Secret::FromText("the right secret", "a test"); }
Secret Wrong() { return Secret::FromText("the wrong secret", "a test"); }

class ReceptionTest : public testing::Test {
 protected:
  ReceptionTest() {
    options_.hello_timeout = kNever;
    options_.wrong_secret_delay = kNever;
    options_.tool_version = "0.1.0";
  }

  void Open(std::optional<Secret> secret) {
    reception_.emplace(options_, std::move(secret), limited_);
  }

  Connection Call(std::string_view from = kCrowd, std::size_t clients = 0) {
    Connection client =
        Dial({.host = "127.0.0.1", .port = listener_.port(), .source_ip = std::string(from)});
    WaitReady(listener_.fds(), {}, In(kTestPatience));
    reception_->Receive(listener_.Accept(listener_.fds()[0]).value(), clients);
    return client;
  }

  // Turns until it is so.
  void Attend(const std::function<bool()>& is_done) {
    const Deadline patience = In(kTestPatience);
    while (!is_done()) {
      ASSERT_LT(Now(), patience) << "the test has lost its patience";
      std::vector<int> readable;
      std::vector<int> writable;
      reception_->AddFds(readable, writable);
      const std::vector<bool> flags =
          WaitReady(readable, writable, std::min(patience, reception_->NextDuty()));
      std::set<int> ready;
      for (std::size_t i = 0; i < readable.size(); ++i) {
        if (flags[i]) ready.insert(readable[i]);
      }
      for (Guest& guest : reception_->Turn(ready)) admitted_.push_back(std::move(guest));
    }
  }
  void AttendUntilAdmitted(std::size_t count = 1) {
    Attend([&] { return admitted_.size() >= count; });
  }
  void AttendUntilTold(EventKind kind) {
    Attend([&] {
      return std::any_of(told_.begin(), told_.end(),
                         [kind](const Event& event) { return event.kind == kind; });
    });
  }
  // What the reception answers.
  std::pair<std::string, Json> Answer(Connection& client) {
    const std::array<int, 1> fd = {client.fd()};
    Attend([&]() -> bool { return WaitReady(fd, {}, Now())[0]; });
    return ReadFrame(client).value_or(std::pair<std::string, Json>{"nothing", {}});
  }
  std::string ErrorText(Connection& client) {
    const auto [kind, body] = Answer(client);
    return kind == "error" ? body["message"].get<std::string>() : kind;
  }

  // Says hello and hears the challenge; what is to be proven.
  Handshake Challenged(Connection& client, std::string_view request = kRunRequest) {
    const Hello hello = MakeHello("0.1.0", request);
    SendAll(client, EncodeFrame("hello", HelloToJson(hello)));
    const auto [kind, body] = Answer(client);
    EXPECT_EQ(kind, "challenge");
    return {.request = hello.request,
            .client_nonce = hello.nonce,
            .server_nonce = ChallengeFromJson(body)};
  }
  static void Prove(Connection& client, const Secret& secret, const Handshake& handshake,
                    Prover prover = Prover::kClient) {
    SendAll(client, EncodeFrame("proof", MakeProof(secret, prover, handshake)));
  }
  // That the client is not let in, is told why only later, and is written down.
  void IsRefusedAsWrong(Connection& client) {
    AttendUntilTold(EventKind::kWrongSecret);
    EXPECT_THAT(admitted_, IsEmpty());
    const std::array<int, 1> fd = {client.fd()};
    EXPECT_FALSE(WaitReady(fd, {}, Now())[0]) << "it is told something already";
    EXPECT_EQ(told_.back().peer, client.local().ToString());
    EXPECT_THAT(told_.back().text, HasSubstr("wrong secret"));
  }

  LobbyOptions options_;
  std::vector<Event> told_;
  EventLimiter limited_{[this](const Event& event) { told_.push_back(event); }};
  const std::string here_ = "127.0.0.1";
  const Listener listener_{{&here_, 1}, 0};
  std::optional<Reception> reception_;
  std::vector<Guest> admitted_;
};

TEST_F(ReceptionTest, LetsInWhoSaysHelloWhereThereIsNoSecret) {
  Open({});
  Connection client = Call();
  SendAll(client, EncodeFrame("hello", HelloToJson(MakeHello("0.1.0", kDoctorRequest))));
  AttendUntilAdmitted();
  EXPECT_EQ(admitted_[0].request(), "doctor");
  EXPECT_EQ(admitted_[0].name(), client.local().ToString());
}

TEST_F(ReceptionTest, LetsInWhoProvesTheSecretAndProvesItToo) {
  Open(Right());
  Connection client = Call();
  const Handshake handshake = Challenged(client);
  EXPECT_THAT(admitted_, IsEmpty());
  Prove(client, Right(), handshake);
  const auto [kind, body] = Answer(client);
  EXPECT_EQ(kind, "proof");
  EXPECT_TRUE(IsProof(body, Right(), Prover::kServer, handshake));
  ASSERT_THAT(admitted_, SizeIs(1));
  EXPECT_EQ(admitted_[0].request(), "run");
  EXPECT_TRUE(admitted_[0].can_leave());
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(ReceptionTest, RefusesAnotherSecret) {
  Open(Right());
  Connection client = Call();
  Prove(client, Wrong(), Challenged(client));
  IsRefusedAsWrong(client);
}

TEST_F(ReceptionTest, TellsAWrongSecretWhenItHasWaited) {
  options_.wrong_secret_delay = kShort;
  Open(Right());
  Connection client = Call();
  Prove(client, Wrong(), Challenged(client));
  EXPECT_EQ(ErrorText(client), "wrong secret: the client's is another one");
  EXPECT_FALSE(ReadFrame(client)) << "the connection is closed";
  EXPECT_THAT(told_, SizeIs(1)) << "one event";
}

TEST_F(ReceptionTest, ServesOthersWhileAWrongSecretWaits) {
  Open(Right());
  Connection wrong = Call();
  Prove(wrong, Wrong(), Challenged(wrong));
  AttendUntilTold(EventKind::kWrongSecret);
  Connection right = Call();
  Prove(right, Right(), Challenged(right));
  AttendUntilAdmitted();
  EXPECT_EQ(admitted_[0].name(), right.local().ToString());
}

TEST_F(ReceptionTest, CountsAWrongSecretThatWaitsAsAStranger) {
  options_.per_address = 1;
  Open(Right());
  Connection wrong = Call();
  Prove(wrong, Wrong(), Challenged(wrong));
  AttendUntilTold(EventKind::kWrongSecret);
  Connection next = Call();
  EXPECT_THAT(ErrorText(next), HasSubstr("allowed are 1"));
}

TEST_F(ReceptionTest, RefusesAHandshakeThatIsReplayed) {
  Open(Right());
  Connection client = Call();
  const Hello hello = MakeHello("0.1.0", kRunRequest);
  const std::string said = EncodeFrame("hello", HelloToJson(hello));
  SendAll(client, said);
  const Handshake handshake = {.request = hello.request,
                               .client_nonce = hello.nonce,
                               .server_nonce = ChallengeFromJson(Answer(client).second)};
  const std::string proven = EncodeFrame("proof", MakeProof(Right(), Prover::kClient, handshake));
  SendAll(client, proven);
  AttendUntilAdmitted();
  admitted_.clear();

  Connection thief = Call();
  SendAll(thief, said);
  EXPECT_EQ(Answer(thief).first, "challenge");
  SendAll(thief, proven);
  IsRefusedAsWrong(thief);
}

TEST_F(ReceptionTest, RefusesItsOwnProofSentBack) {
  Open(Right());
  Connection client = Call();
  Prove(client, Right(), Challenged(client), Prover::kServer);
  IsRefusedAsWrong(client);
}

TEST_F(ReceptionTest, RefusesItsOwnChallengeSentBack) {
  Open(Right());
  Connection client = Call();
  const Handshake handshake = Challenged(client);
  SendAll(client, EncodeFrame("challenge", ChallengeToJson(handshake.server_nonce)));
  EXPECT_THAT(ErrorText(client), HasSubstr("'challenge' in place of proof"));
}

TEST_F(ReceptionTest, RefusesAProofForAnotherRequest) {
  Open(Right());
  Connection client = Call();
  Handshake handshake = Challenged(client, kDoctorRequest);
  handshake.request = kRunRequest;
  Prove(client, Right(), handshake);
  IsRefusedAsWrong(client);
}

// What a guest that has been challenged cannot go on with; nothing of it is a guess, and so it is
// told at once.
struct OutOfTurn {
  std::string_view kind;
  std::string_view body;
  std::string_view answer;
  std::string_view entry = "";
};

class NoProof : public ReceptionTest, public testing::WithParamInterface<OutOfTurn> {};

TEST_P(NoProof, IsRefusedAtOnce) {
  Open(Right());
  Connection client = Call();
  Challenged(client);
  SendAll(client, EncodeFrame(GetParam().kind, Json::parse(GetParam().body)));
  EXPECT_THAT(ErrorText(client), HasSubstr(GetParam().answer));
  EXPECT_EQ(told_.back().error->entry(), GetParam().entry);
  EXPECT_THAT(admitted_, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Reception, NoProof,
    testing::Values(OutOfTurn{"proof", "{}", "proof.mac is missing"},
                    OutOfTurn{"proof", R"({"mac":"00"})", "allowed are 64 hexadecimal digits"},
                    OutOfTurn{"proof", R"({"mac":7})", "allowed are 64 hexadecimal digits"},
                    OutOfTurn{"proof", "[]", "proof is a list"},
                    OutOfTurn{"plan", "{}", "'plan' in place of proof", "out_of_turn"},
                    OutOfTurn{"hello", "{}", "'hello' in place of proof", "out_of_turn"}));

TEST_F(ReceptionTest, DoesNotTellAGuestWhatItHasTold) {
  Open(Right());
  Connection client = Call();
  Challenged(client);
  SendAll(client, EncodeFrame("error", {{"message", "no file"}, {"entry", "secret"}}));
  EXPECT_EQ(ErrorText(client), "nothing");
  EXPECT_STREQ(told_.back().error->what(), "peer: no file");
  EXPECT_EQ(told_.back().error->entry(), "secret");
  EXPECT_THAT(admitted_, IsEmpty());
}

TEST_F(ReceptionTest, RefusesAProofBeforeHello) {
  Open(Right());
  Connection client = Call();
  Prove(client, Right(), {.request = "run", .client_nonce = MakeNonce(), .server_nonce = ""});
  EXPECT_THAT(ErrorText(client), HasSubstr("'proof' in place of hello"));
}

TEST_F(ReceptionTest, HearsAProofBehindManyHeartbeats) {
  Open(Right());
  Connection client = Call();
  const Handshake handshake = Challenged(client);
  for (int i = 0; i < 1000; ++i) SendAll(client, EncodeFrame("heartbeat", Json::object()));
  Prove(client, Right(), handshake);
  AttendUntilAdmitted();
}

TEST_F(ReceptionTest, DismissesWhoProvesNothingHoweverMuchItSends) {
  options_.hello_timeout = kShort;
  Open(Right());
  Connection client = Call();
  Challenged(client);
  const std::string beat = EncodeFrame("heartbeat", Json::object());
  Attend([&] {
    client.Write(beat);
    return !told_.empty();
  });
  EXPECT_THAT(told_[0].text, HasSubstr("no proof of the secret came within 0.04 s"));
  EXPECT_EQ(told_[0].error->entry(), "no_hello");
}

TEST_F(ReceptionTest, TakesNoLargerFrameThanAHelloNeeds) {
  Open({});
  Connection client = Call();
  SendAll(client, std::string_view("\x00\x00\x20\x01{", 5));
  EXPECT_THAT(ErrorText(client), HasSubstr("a frame of 8193 bytes, allowed are 1 to 8192"));
  EXPECT_EQ(told_.back().error->entry(), "no_frame");
}

TEST_F(ReceptionTest, AsksForTheSecretThatItHasNow) {
  Open(Wrong());
  Connection client = Call();
  const Handshake handshake = Challenged(client);
  reception_->SetSecret(Right());
  Prove(client, Right(), handshake);
  AttendUntilAdmitted();
}

TEST_F(ReceptionTest, BoundsTheConnectionsOfAnAddress) {
  options_.per_address = 2;
  Open({});
  const Connection first = Call();
  const Connection second = Call();
  Connection third = Call();
  EXPECT_EQ(ErrorText(third), "127.0.0.1 has 2 connections to the server, allowed are 2");
  EXPECT_FALSE(ReadFrame(third)) << "the connection is closed";
  EXPECT_THAT(told_, Contains(AllOf(Field(&Event::kind, EventKind::kTurnedAway),
                                    Field(&Event::peer, third.local().ToString()))));
  EXPECT_EQ(told_.back().error->entry(), "full");
  Connection other = Call(kElsewhere);
  SendAll(other, EncodeFrame("hello", HelloToJson(MakeHello("0.1.0", kRunRequest))));
  AttendUntilAdmitted();
}

TEST_F(ReceptionTest, CountsTheClientsOfAnAddressThatHaveComeIn) {
  options_.per_address = 2;
  Open({});
  const Connection first = Call(kCrowd, 1);
  Connection second = Call(kCrowd, 1);
  EXPECT_THAT(ErrorText(second), HasSubstr("has 2 connections"));
  Connection third = Call(kElsewhere, 2);
  EXPECT_THAT(ErrorText(third), HasSubstr("has 2 connections"));
}

TEST_F(ReceptionTest, HasAPlaceForAnotherAddressHoweverManyComeFromOne) {
  options_.per_address = 1000;
  options_.strangers = 8;
  Open(Right());
  std::vector<Connection> crowd;
  for (int i = 0; i < 200; ++i) crowd.push_back(Call());
  Connection honest = Call(kElsewhere);
  for (int i = 0; i < 100; ++i) crowd.push_back(Call());
  Prove(honest, Right(), Challenged(honest));
  AttendUntilAdmitted();
  EXPECT_EQ(admitted_[0].name(), honest.local().ToString());
  EXPECT_THAT(ErrorText(crowd[0]), HasSubstr("gave way to a connection of another address"));
  EXPECT_THAT(ErrorText(crowd.back()), HasSubstr("8 connections without a hello"));
}

TEST_F(ReceptionTest, LetsTheOldestOfTheCrowdGoWhereItIsOfTwoAddresses) {
  options_.strangers = 4;
  Open({});
  Connection lone = Call("127.0.0.3");
  Connection oldest = Call();
  const Connection second = Call();
  const Connection third = Call();
  const Connection newcomer = Call(kElsewhere);
  EXPECT_THAT(ErrorText(oldest), HasSubstr("gave way"));
  SendAll(lone, EncodeFrame("hello", HelloToJson(MakeHello("0.1.0", kRunRequest))));
  AttendUntilAdmitted();
}

TEST_F(ReceptionTest, DoesNotWriteDownEachOfAFlood) {
  options_.per_address = 1;
  Open({});
  const Connection first = Call();
  for (int i = 0; i < 300; ++i) Call();
  EXPECT_THAT(told_, SizeIs(testing::Lt(300 / 2)));
}

TEST_F(ReceptionTest, TellsAllWhenItCloses) {
  Open(Right());
  Connection silent = Call();
  Connection challenged = Call();
  Challenged(challenged);
  reception_->Close(Error(Blame::kRun, "the server is shutting down"));
  for (Connection* client : {&silent, &challenged}) {
    EXPECT_EQ(ErrorText(*client), "the server is shutting down");
  }
}

}  // namespace
}  // namespace rdmabench
