#include "transport/handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "transport/session.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::ThrowsMessage;
using Json = nlohmann::json;

const Handshake kHandshake = {
    .request = "run", .client_nonce = std::string(32, 'c'), .server_nonce = std::string(32, '5')};

class HandshakeTest : public testing::Test {
 protected:
  const Secret secret_ = Secret::FromText("0123456789abcdef", "a test");
  const Json proof_ = MakeProof(secret_, Prover::kClient, kHandshake);
};

// So that another implementation can be told from this one's words: openssl made these.
//   printf 'rdmabench 6 client\nrun\n%032d\n%032d' 1 2 | openssl dgst -sha256 -hmac
//   0123456789abcdef
TEST_F(HandshakeTest, MakesTheProofsThatAreWrittenDown) {
  static_assert(kProtocolVersion == 6, "the texts below begin with it");
  const Handshake handshake = {.request = "run",
                               .client_nonce = "00000000000000000000000000000001",
                               .server_nonce = "00000000000000000000000000000002"};
  EXPECT_EQ(MakeProof(secret_, Prover::kClient, handshake)["mac"],
            "3eff2c1606ce0c75af545305207c8e89219fd8d823e543ca9000b9f437b0c4d4");
  EXPECT_EQ(MakeProof(secret_, Prover::kServer, handshake)["mac"],
            "90c94c08f4a526867b7cba57046c216c5e58215eb05c57f8ef69cd6970d540e1");
}

TEST_F(HandshakeTest, AcceptsEachSidesProof) {
  EXPECT_TRUE(IsProof(proof_, secret_, Prover::kClient, kHandshake));
  EXPECT_TRUE(IsProof(MakeProof(secret_, Prover::kServer, kHandshake), secret_, Prover::kServer,
                      kHandshake));
}

TEST_F(HandshakeTest, RefusesTheProofOfAnotherSecret) {
  const Secret other = Secret::FromText("0123456789abcdeF", "a test");
  EXPECT_FALSE(IsProof(proof_, other, Prover::kClient, kHandshake));
}

TEST_F(HandshakeTest, RefusesAProofThatWasMadeBefore) {
  Handshake later = kHandshake;
  later.server_nonce = MakeNonce();
  EXPECT_FALSE(IsProof(proof_, secret_, Prover::kClient, later));
}

TEST_F(HandshakeTest, RefusesAProofForAnotherClientsNumber) {
  Handshake other = kHandshake;
  other.client_nonce = MakeNonce();
  EXPECT_FALSE(IsProof(proof_, secret_, Prover::kClient, other));
}

TEST_F(HandshakeTest, RefusesAProofForAnotherRequest) {
  Handshake other = kHandshake;
  other.request = "doctor";
  EXPECT_FALSE(IsProof(proof_, secret_, Prover::kClient, other));
}

TEST_F(HandshakeTest, RefusesASidesOwnProofSentBack) {
  EXPECT_FALSE(IsProof(proof_, secret_, Prover::kServer, kHandshake));
  EXPECT_FALSE(IsProof(MakeProof(secret_, Prover::kServer, kHandshake), secret_, Prover::kClient,
                       kHandshake));
}

TEST_F(HandshakeTest, SaysWhoseSecretIsAnother) {
  EXPECT_STREQ(WrongSecret(Prover::kClient).what(), "wrong secret: the client's is another one");
  EXPECT_STREQ(WrongSecret(Prover::kServer).what(), "wrong secret: the server's is another one");
  EXPECT_EQ(WrongSecret(Prover::kClient).entry(), "secret");
  EXPECT_THAT(WrongSecret(Prover::kClient).remedy(), HasSubstr("--secret-file"));
}

TEST_F(HandshakeTest, HasANumberOfItsOwn) {
  EXPECT_THAT(MakeNonce(), MatchesRegex("[0-9a-f]{32}"));
  EXPECT_NE(MakeNonce(), MakeNonce());
  const std::string nonce = MakeNonce();
  EXPECT_EQ(ChallengeFromJson(ChallengeToJson(nonce)), nonce);
}

class IllFormedProof : public testing::TestWithParam<std::string_view> {};

TEST_P(IllFormedProof, IsRefusedAsSuch) {
  const Secret secret = Secret::FromText("0123456789abcdef", "a test");
  EXPECT_THAT([&] { IsProof(Json::parse(GetParam()), secret, Prover::kClient, kHandshake); },
              ThrowsMessage<Error>(HasSubstr("proof")));
}

INSTANTIATE_TEST_SUITE_P(
    Handshake, IllFormedProof,
    testing::Values(
        "null", "[]", "{}", R"({"mac":1})", R"({"mac":""})", R"({"mac":"00ff"})", R"({"mac":null})",
        // 62, 63, 65 and 66 digits; capitals; a digit that is none; another key
        R"({"mac":"00000000000000000000000000000000000000000000000000000000000000"})",
        R"({"mac":"000000000000000000000000000000000000000000000000000000000000000"})",
        R"({"mac":"00000000000000000000000000000000000000000000000000000000000000000"})",
        R"({"mac":"000000000000000000000000000000000000000000000000000000000000000000"})",
        R"({"mac":"FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"})",
        R"({"mac":"000000000000000000000000000000000000000000000000000000000000000x"})",
        R"({"mac":"0000000000000000000000000000000000000000000000000000000000000000",
                        "more":1})"));

class IllFormedChallenge : public testing::TestWithParam<std::string_view> {};

TEST_P(IllFormedChallenge, IsRefused) {
  EXPECT_THAT([] { ChallengeFromJson(Json::parse(GetParam())); },
              ThrowsMessage<Error>(HasSubstr("challenge")));
}

INSTANTIATE_TEST_SUITE_P(Handshake, IllFormedChallenge,
                         testing::Values("null", "{}", R"({"nonce":7})", R"({"nonce":"00"})",
                                         R"({"nonce":"0000000000000000000000000000000g"})",
                                         R"({"nonce":"00000000000000000000000000000000","a":1})"));

}  // namespace
}  // namespace rdmabench
