// The server's threshold: connections that have not yet said what they have come for and, where the
// server has a secret, proven that they have it. There is a bounded number of them, each has a
// bounded time and memory, and none of them can keep out those of another address.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/deadline.h"
#include "transport/event_limiter.h"
#include "transport/guest.h"
#include "transport/lobby_options.h"
#include "transport/secret.h"
#include "transport/socket.h"

namespace rdmabench {

class Reception {
 public:
  // `options` and `log` have to outlive it. Without a secret nobody has to prove anything.
  Reception(const LobbyOptions& options, std::optional<Secret> secret, EventLimiter& log);

  // What is asked for from now on, also of those that have been challenged.
  void SetSecret(Secret secret) { secret_ = std::move(secret); }

  // A new connection, whose address has so many clients beyond this threshold. One that cannot stay
  // is told why.
  void Receive(Connection connection, std::size_t clients_of_its_address);

  // Descriptors to wait for, and until when at most.
  void AddFds(std::vector<int>& readable, std::vector<int>& writable) const;
  Deadline NextDuty() const;
  // The server was late by so much; that is not the guests' fault.
  void Forgive(Deadline::duration late);

  // Hears those whose descriptor is `ready` to be read, and sends away whose time is over. Returns
  // those that may come in: their handshake() says what for.
  std::vector<Guest> Turn(const std::set<int>& ready);

  // Tells all that they have to go.
  void Close(const Error& reason);

 private:
  struct Stranger {
    Guest guest;
    bool is_challenged = false;
    std::optional<Deadline> told_at;  // of one that had a wrong secret
  };

  bool Keep(Stranger& stranger, const std::set<int>& ready, std::vector<Guest>& admitted);
  bool Hear(Stranger& stranger, const std::string& kind, const nlohmann::json& body);
  void HearHello(Stranger& stranger, const nlohmann::json& body);
  bool HearProof(Stranger& stranger, const nlohmann::json& body);
  std::size_t CountOf(std::string_view ip) const;
  bool MakeRoomFor(std::string_view ip);
  void Dismiss(Guest& guest, const Error& error);

  const LobbyOptions& options_;
  EventLimiter& log_;
  std::optional<Secret> secret_;
  std::vector<Stranger> strangers_;  // the oldest first
};

}  // namespace rdmabench
