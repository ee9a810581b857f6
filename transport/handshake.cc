#include "transport/handshake.h"

#include <sys/random.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "transport/catalogue.h"
#include "transport/hex.h"
#include "transport/json_reader.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

std::string_view NameOf(Prover prover) { return prover == Prover::kClient ? "client" : "server"; }

// Each part ends at the line's end, which none of them contains.
Mac MacOf(const Secret& secret, Prover prover, const Handshake& handshake) {
  std::string text = "rdmabench " + std::to_string(kProtocolVersion) + " ";
  text += NameOf(prover);
  text += "\n" + handshake.request + "\n" + handshake.client_nonce + "\n" + handshake.server_nonce;
  return secret.Authenticate(text);
}

}  // namespace

std::string MakeNonce() {
  std::array<unsigned char, kNonceBytes> bytes = {};
  // Requests of up to 256 bytes are never answered in part.
  CheckErrno(static_cast<int>(getrandom(bytes.data(), bytes.size(), 0)),
             "cannot read the system's random source");
  return ToHex(bytes);
}

nlohmann::json ChallengeToJson(const std::string& server_nonce) {
  return {{"nonce", server_nonce}};
}

std::string ChallengeFromJson(const nlohmann::json& body) {
  JsonReader reader(body, "challenge");
  std::string nonce = reader.Hex("nonce", kNonceBytes);
  reader.Done();
  return nonce;
}

nlohmann::json MakeProof(const Secret& secret, Prover prover, const Handshake& handshake) {
  return {{"mac", ToHex(MacOf(secret, prover, handshake))}};
}

bool IsProof(const nlohmann::json& body, const Secret& secret, Prover prover,
             const Handshake& handshake) {
  Mac given = {};
  JsonReader reader(body, "proof");
  FromHex(reader.Hex("mac", given.size()), given);
  reader.Done();
  return Equal(given, MacOf(secret, prover, handshake));
}

Error WrongSecret(Prover prover) {
  return SessionError("secret",
                      "wrong secret: the " + std::string(NameOf(prover)) + "'s is another one");
}

}  // namespace rdmabench
