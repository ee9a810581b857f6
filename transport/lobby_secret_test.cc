// The lobby's secret file and SIGHUP, and whose turn it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "transport/error.h"
#include "transport/frame.h"
#include "transport/handshake.h"
#include "transport/lobby_fixture.h"
#include "transport/loopback.h"
#include "transport/secret.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kFirst = "the first secret";
constexpr std::string_view kSecond = "the second secret";

class LobbySecret : public LobbyFixture {
 protected:
  LobbySecret() { options_.wrong_secret_delay = std::chrono::milliseconds(10); }
  void TearDown() override {
    LobbyFixture::TearDown();
    unlink(path_.c_str());
  }

  void Write(std::string_view secret) {
    std::ofstream(path_) << secret << "\n";
    chmod(path_.c_str(), 0600);
    options_.secret_file = path_;
  }
  // What becomes of a client with this secret: "admitted", or the error's text.
  std::string Comes(std::string_view secret) {
    Connection client = Call();
    const Hello hello = MakeHello("0.1.0", kRunRequest);
    SendAll(client, EncodeFrame("hello", HelloToJson(hello)));
    const auto [kind, body] = Answer(client);
    if (kind != "challenge") return kind;
    const Handshake handshake = {.request = hello.request,
                                 .client_nonce = hello.nonce,
                                 .server_nonce = ChallengeFromJson(body)};
    const Secret own = Secret::FromText(secret, "a test");
    SendAll(client, EncodeFrame("proof", MakeProof(own, Prover::kClient, handshake)));
    const auto [answer, proof] = Answer(client);
    if (answer == "error") return proof["message"];
    EXPECT_EQ(answer, "proof");
    EXPECT_TRUE(IsProof(proof, own, Prover::kServer, handshake));
    return Answer(client).first;
  }

  const std::string path_ = testing::TempDir() + "/lobby_secret_" + std::to_string(getpid());
};

TEST_F(LobbySecret, LetsInOnlyWhoHasIt) {
  Write(kFirst);
  options_.sessions = 2;
  Open();
  EXPECT_EQ(Comes(kFirst), "admitted");
  EXPECT_THAT(Comes(kSecond), HasSubstr("wrong secret"));
  EXPECT_TRUE(journal_.Has("wrong secret: the client's is another one"));
  EXPECT_EQ(Comes(kFirst), "admitted");
}

TEST_F(LobbySecret, IsReadAgainAtSighup) {
  Write(kFirst);
  options_.sessions = 4;
  Open();
  EXPECT_EQ(Comes(kFirst), "admitted");
  const int under_way = pid_;
  Write(kSecond);
  EXPECT_EQ(Comes(kFirst), "admitted") << "not before the signal";
  kill(getpid(), SIGHUP);
  ASSERT_TRUE(journal_.Has("SIGHUP: the secret file '" + path_ + "' is read again"));
  EXPECT_EQ(Comes(kSecond), "admitted");
  EXPECT_THAT(Comes(kFirst), HasSubstr("wrong secret"));
  EXPECT_EQ(kill(under_way, 0), 0) << "who is served goes on";
}

TEST_F(LobbySecret, StaysAsItWasWhenItCannotBeReadAgain) {
  Write(kFirst);
  options_.sessions = 2;
  Open();
  chmod(path_.c_str(), 0644);
  kill(getpid(), SIGHUP);
  ASSERT_TRUE(journal_.Has("SIGHUP: the secret stays as it was: the secret file '" + path_ + "'"));
  EXPECT_THAT(journal_.text(), HasSubstr("chmod 600 " + path_));
  EXPECT_EQ(Comes(kFirst), "admitted");
  EXPECT_THAT(Comes(kSecond), HasSubstr("wrong secret"));
}

TEST_F(LobbySecret, IsNotNeededToOutliveASighup) {
  Open();
  kill(getpid(), SIGHUP);
  ASSERT_TRUE(journal_.Has("SIGHUP: there is no secret file to read again"));
  Connection client = CallAndSayHello();
  EXPECT_EQ(Answer(client).first, "admitted");
}

TEST_F(LobbySecret, HasToBeReadableAtTheStart) {
  options_.secret_file = "/nowhere/secret";
  EXPECT_THAT([this] { Open(); },
              testing::ThrowsMessage<Error>(HasSubstr("the secret file '/nowhere/secret'")));
}

TEST_F(LobbySecret, IsMissedWhereOthersReachThePort) {
  options_.bind = {};
  Open();
  EXPECT_TRUE(
      journal_.Has("has no secret: whoever reaches port " + std::to_string(lobby_->port())));
  EXPECT_THAT(journal_.text(), HasSubstr("--secret-file"));
}

TEST_F(LobbySecret, IsNotMissedOnLoopback) {
  Open();
  EXPECT_EQ(Comes(kFirst), "admitted") << "it is up, and asks for none";
  EXPECT_THAT(journal_.text(), Not(HasSubstr("has no secret")));
}

TEST_F(LobbySecret, IsNotMissedWhereItIs) {
  Write(kFirst);
  options_.bind = {};
  Open();
  EXPECT_EQ(Comes(kFirst), "admitted");
  EXPECT_THAT(journal_.text(), Not(HasSubstr("has no secret")));
}

class LobbyTurns : public LobbyFixture {
 protected:
  Connection CallFrom(const std::string& ip) {
    Connection client = Dial({.host = "127.0.0.1", .port = lobby_->port(), .source_ip = ip});
    SendAll(client, HelloFrame());
    return client;
  }
};

TEST_F(LobbyTurns, AreOfAddressesAndNotOfWhoSendsMostClients) {
  Open();
  Connection served = CallFrom("127.0.0.1");
  EXPECT_EQ(Answer(served).first, "admitted");
  Connection second = CallFrom("127.0.0.1");
  EXPECT_TRUE(GetsPlace(second, 1));
  Connection third = CallFrom("127.0.0.1");
  EXPECT_TRUE(GetsPlace(third, 2));
  // Of an address that is not served yet.
  Connection honest = CallFrom("127.0.0.2");
  EXPECT_TRUE(GetsPlace(honest, 1));
  EXPECT_TRUE(GetsPlace(third, 3));
  // Both addresses have one before this.
  Connection next = CallFrom("127.0.0.2");
  EXPECT_TRUE(GetsPlace(next, 3));
  EXPECT_TRUE(GetsPlace(second, 2));
  EXPECT_TRUE(GetsPlace(third, 4));
  kill(pid_, SIGKILL);
  EXPECT_EQ(Answer(honest).first, "admitted");
}

TEST_F(LobbyTurns, BoundTheClientsOfAnAddressServedOnesIncluded) {
  options_.per_address = 2;
  Open();
  Connection served = CallFrom("127.0.0.1");
  EXPECT_EQ(Answer(served).first, "admitted");
  Connection queued = CallFrom("127.0.0.1");
  EXPECT_TRUE(GetsPlace(queued, 1));
  Connection third = CallFrom("127.0.0.1");
  EXPECT_THAT(ErrorText(third), HasSubstr("127.0.0.1 has 2 connections to the server"));
  Connection honest = CallFrom("127.0.0.2");
  EXPECT_TRUE(GetsPlace(honest, 1));
}

}  // namespace
}  // namespace rdmabench
