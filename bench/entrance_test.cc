#include "bench/entrance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "transport/frame.h"
#include "transport/handshake.h"
#include "transport/hello.h"
#include "transport/loopback.h"
#include "transport/secret.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr std::string_view kRight = "the right secret";
constexpr std::string_view kWrong = "the wrong secret";

void Say(Connection& connection, std::string_view kind, const Json& body) {
  SendAll(connection, EncodeFrame(kind, body));
}

// A client that enters, and a server that the test plays.
class Entrance : public testing::Test {
 protected:
  // What it fails with; none: it is welcome.
  std::optional<Error> EnterWith(std::string_view secret,
                                 const std::function<void(Connection&)>& server) {
    ConnectedPair pair = Connect();
    std::thread thread([&server, client = std::move(pair.accepted)]() mutable {
      try {
        server(client);
        // What the client says at the end is read, so that nothing of this side's is lost.
        while (ReadFrame(client)) continue;
      } catch (const Error&) {
        // The client has left.
      }
    });
    Call call = call_;
    if (!secret.empty()) {
      call.secret = std::make_shared<const Secret>(Secret::FromText(secret, "a test"));
    }
    std::optional<Error> failure;
    {
      Session session(std::move(pair.dialled), {});
      try {
        Enter(session, kRunRequest, call, {});
      } catch (const Error& error) {
        failure = error;
      }
    }
    thread.join();
    return failure;
  }

  // A server's part up to its challenge; what is to be proven.
  static Handshake Challenge(Connection& client) {
    const Hello hello = CheckHello(ReadFrame(client).value().second, "0.1.0");
    const std::string nonce = MakeNonce();
    Say(client, "challenge", ChallengeToJson(nonce));
    return {.request = hello.request, .client_nonce = hello.nonce, .server_nonce = nonce};
  }
  static void Welcome(Connection& client) {
    Say(client, "queued", {{"place", 1}});
    Say(client, "welcome", {{"tool_version", "0.1.0"}});
  }

  Call call_;
};

TEST_F(Entrance, IsOpenWhereNeitherSideHasASecret) { EXPECT_FALSE(EnterWith("", Welcome)); }

TEST_F(Entrance, ProvesTheSecretAndSeesItProven) {
  bool is_proven = false;
  const auto failure = EnterWith(kRight, [&](Connection& client) {
    const Handshake handshake = Challenge(client);
    const Secret secret = Secret::FromText(kRight, "a test");
    is_proven = IsProof(ReadFrame(client).value().second, secret, Prover::kClient, handshake);
    Say(client, "proof", MakeProof(secret, Prover::kServer, handshake));
    Welcome(client);
  });
  EXPECT_FALSE(failure) << failure->what();
  EXPECT_TRUE(is_proven);
}

TEST_F(Entrance, WaitsForItsTurnNoLongerThanItShall) {
  call_.wait = std::chrono::milliseconds(0);
  const auto failure = EnterWith("", [](Connection& client) {
    Say(client, "queued", {{"place", 3}});
  });
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->what(), HasSubstr("still at place 3 of its queue"));
  EXPECT_EQ(failure->entry(), "full");
  EXPECT_THAT(failure->remedy(), HasSubstr("--wait"));
}

TEST_F(Entrance, SaysThatASecretIsAskedFor) {
  const auto failure = EnterWith("", [](Connection& client) { Challenge(client); });
  ASSERT_TRUE(failure);
  EXPECT_STREQ(failure->what(), "the server asks for a secret");
  EXPECT_EQ(failure->entry(), "secret");
  EXPECT_THAT(failure->remedy(), HasSubstr("--secret-file"));
}

TEST_F(Entrance, RefusesAServerThatAsksForNone) {
  for (const bool is_queued : {false, true}) {
    const auto failure = EnterWith(kRight, [&](Connection& client) {
      if (is_queued) return Welcome(client);
      Say(client, "welcome", {{"tool_version", "0.1.0"}});
    });
    ASSERT_TRUE(failure);
    EXPECT_THAT(failure->what(), HasSubstr("the server has no secret"));
    EXPECT_EQ(failure->entry(), "secret");
  }
}

TEST_F(Entrance, RefusesAServerOfAnotherSecret) {
  const auto failure = EnterWith(kRight, [](Connection& client) {
    const Handshake handshake = Challenge(client);
    const Secret wrong = Secret::FromText(kWrong, "a test");
    Say(client, "proof", MakeProof(wrong, Prover::kServer, handshake));
    Welcome(client);
  });
  ASSERT_TRUE(failure);
  EXPECT_STREQ(failure->what(), "wrong secret: the server's is another one");
}

TEST_F(Entrance, RefusesItsOwnProofSentBack) {
  const auto failure = EnterWith(kRight, [](Connection& client) {
    Challenge(client);
    Say(client, "proof", ReadFrame(client).value().second);
    Welcome(client);
  });
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->what(), HasSubstr("wrong secret"));
}

TEST_F(Entrance, RefusesAWelcomeInPlaceOfAProof) {
  const auto failure = EnterWith(kRight, [](Connection& client) {
    Challenge(client);
    Welcome(client);
  });
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->what(), HasSubstr("'queued'"));
}

TEST_F(Entrance, TellsWhatTheServerSaysOfAWrongSecret) {
  const auto failure = EnterWith(kWrong, [](Connection& client) {
    Challenge(client);
    Say(client, "error", {{"message", WrongSecret(Prover::kClient).what()}});
  });
  ASSERT_TRUE(failure);
  EXPECT_STREQ(failure->what(), "peer: wrong secret: the client's is another one");
}

}  // namespace
}  // namespace rdmabench
