// How the two sides of a session show each other that they have the same secret, without telling
// it: each makes a proof for a number that the other has just chosen, and for the request. The
// frames: hello and challenge bring the numbers, then each side sends a proof, the client first.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "transport/error.h"
#include "transport/secret.h"

namespace rdmabench {

inline constexpr std::size_t kNonceBytes = 16;

// That many bytes of the system's random source, as hexadecimal digits: what is proven for them
// cannot be replayed. Throws Error(kEnvironment).
std::string MakeNonce();

// What is proven. The texts are as hello.h and MakeNonce() make them.
struct Handshake {
  std::string request;  // the client's
  std::string client_nonce;
  std::string server_nonce;
};

// The proofs of the two differ, so that neither side's can be sent back as the other's.
enum class Prover { kClient, kServer };

// Bodies of the frames. ChallengeFromJson throws Error(kRun) when it is ill-formed.
nlohmann::json ChallengeToJson(const std::string& server_nonce);
std::string ChallengeFromJson(const nlohmann::json& body);
nlohmann::json MakeProof(const Secret& secret, Prover prover, const Handshake& handshake);

// Whether the body is that proof. Throws Error(kRun) when it is none at all.
bool IsProof(const nlohmann::json& body, const Secret& secret, Prover prover,
             const Handshake& handshake);
// Of the side whose proof is none.
Error WrongSecret(Prover prover);

}  // namespace rdmabench
