#include "transport/reception.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "transport/catalogue.h"
#include "transport/error.h"
#include "transport/handshake.h"
#include "transport/hello.h"
#include "transport/peer_error.h"

namespace rdmabench {
namespace {

std::string Many(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace

Reception::Reception(const LobbyOptions& options, std::optional<Secret> secret, EventLimiter& log)
    : options_(options), log_(log), secret_(std::move(secret)) {}

void Reception::Receive(Connection connection, std::size_t clients_of_its_address) {
  const std::string ip = connection.peer().ip;
  Guest guest(std::move(connection));
  const std::size_t present = CountOf(ip) + clients_of_its_address;
  std::optional<Error> reason;
  if (present >= options_.per_address) {
    reason = SessionError("full", ip + " has " + Many(present, "connection") +
                                      " to the server, allowed are " +
                                      std::to_string(options_.per_address));
  } else if (!MakeRoomFor(ip)) {
    reason = SessionError("full", Many(options_.strangers, "connection") +
                                      " without a hello so far, more are not allowed");
  }
  if (!reason) {
    strangers_.push_back({.guest = std::move(guest), .is_challenged = false, .told_at = {}});
    return;
  }
  log_.Tell({.kind = EventKind::kTurnedAway,
             .peer = guest.name(),
             .text = std::string("turned away: ") + reason->what(),
             .error = reason});
  guest.Dismiss(*reason);
}

std::size_t Reception::CountOf(std::string_view ip) const {
  return static_cast<std::size_t>(
      std::count_if(strangers_.begin(), strangers_.end(),
                    [ip](const Stranger& stranger) { return stranger.guest.ip() == ip; }));
}

// When all places are taken, the oldest of the address that has most of them gives way to an
// address that has fewer.
bool Reception::MakeRoomFor(std::string_view ip) {
  if (strangers_.size() < options_.strangers) return true;
  std::map<std::string_view, std::size_t> counts;
  for (const Stranger& stranger : strangers_) ++counts[stranger.guest.ip()];
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(counts.begin(), counts.end(), fewer);
  if (most == counts.end() || CountOf(ip) >= most->second) return false;
  const auto oldest =
      std::find_if(strangers_.begin(), strangers_.end(),
                   [most](const Stranger& stranger) { return stranger.guest.ip() == most->first; });
  Dismiss(oldest->guest, SessionError("full", "it gave way to a connection of another address"));
  strangers_.erase(oldest);
  return true;
}

void Reception::AddFds(std::vector<int>& readable, std::vector<int>& writable) const {
  for (const Stranger& stranger : strangers_) {
    if (stranger.told_at) continue;
    readable.push_back(stranger.guest.fd());
    if (stranger.guest.has_unsent()) writable.push_back(stranger.guest.fd());
  }
}

Deadline Reception::NextDuty() const {
  Deadline next = Deadline::max();
  for (const Stranger& stranger : strangers_) {
    next = std::min(
        next, stranger.told_at.value_or(stranger.guest.arrived_at() + options_.hello_timeout));
  }
  return next;
}

void Reception::Forgive(Deadline::duration late) {
  for (Stranger& stranger : strangers_) stranger.guest.Forgive(late);
}

std::vector<Guest> Reception::Turn(const std::set<int>& ready) {
  std::vector<Guest> admitted;
  std::erase_if(strangers_, [&](Stranger& stranger) { return !Keep(stranger, ready, admitted); });
  return admitted;
}

bool Reception::Keep(Stranger& stranger, const std::set<int>& ready, std::vector<Guest>& admitted) {
  Guest& guest = stranger.guest;
  if (stranger.told_at) {
    if (Now() < *stranger.told_at) return true;
    guest.Dismiss(WrongSecret(Prover::kClient));
    return false;
  }
  try {
    guest.Flush();
    const char* when =
        stranger.is_challenged ? "before it proved the secret" : "before it said hello";
    const auto frame = ready.contains(guest.fd()) ? guest.Read(when) : std::nullopt;
    if (frame && frame->first != "heartbeat" && Hear(stranger, frame->first, frame->second)) {
      admitted.push_back(std::move(guest));
      return false;
    }
    if (Now() < guest.arrived_at() + options_.hello_timeout) return true;
    const std::string missing = stranger.is_challenged ? "no proof of the secret" : "no hello";
    throw SessionError("no_hello", missing + " came within " + InSeconds(options_.hello_timeout));
  } catch (const Error& error) {
    Dismiss(guest, error);
    return false;
  }
}

// True when the guest may come in.
bool Reception::Hear(Stranger& stranger, const std::string& kind, const nlohmann::json& body) {
  if (kind == "error") throw ErrorFromPeer(body);
  const std::string awaited = stranger.is_challenged ? "proof" : "hello";
  if (kind != awaited) {
    throw SessionError("out_of_turn", "it sent '" + kind + "' in place of " + awaited);
  }
  if (stranger.is_challenged) return HearProof(stranger, body);
  HearHello(stranger, body);
  return !stranger.is_challenged;
}

void Reception::HearHello(Stranger& stranger, const nlohmann::json& body) {
  const Hello hello = CheckHello(body, options_.tool_version);
  Handshake& handshake = stranger.guest.handshake();
  handshake.request = hello.request;
  handshake.client_nonce = hello.nonce;
  if (!secret_) return;
  handshake.server_nonce = MakeNonce();
  stranger.guest.Send("challenge", ChallengeToJson(handshake.server_nonce));
  stranger.is_challenged = true;
}

bool Reception::HearProof(Stranger& stranger, const nlohmann::json& body) {
  Guest& guest = stranger.guest;
  if (IsProof(body, *secret_, Prover::kClient, guest.handshake())) {
    guest.Send("proof", MakeProof(*secret_, Prover::kServer, guest.handshake()));
    return true;
  }
  const Error error = WrongSecret(Prover::kClient);
  log_.Tell({.kind = EventKind::kWrongSecret,
             .peer = guest.name(),
             .text = error.what(),
             .fields = {{"request", guest.handshake().request}},
             .error = error});
  stranger.told_at = In(options_.wrong_secret_delay);
  return false;
}

void Reception::Dismiss(Guest& guest, const Error& error) {
  log_.Tell(DismissedEvent(guest, error));
  guest.Dismiss(error);
}

void Reception::Close(const Error& reason) {
  for (Stranger& stranger : strangers_) stranger.guest.Dismiss(reason);
  strangers_.clear();
}

}  // namespace rdmabench
