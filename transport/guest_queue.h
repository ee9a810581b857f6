// The guests that wait for their turn to be served, and are told their place.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/deadline.h"
#include "transport/event_limiter.h"
#include "transport/guest.h"
#include "transport/lobby_options.h"

namespace rdmabench {

// How many clients of each IP address there are.
using CountByAddress = std::map<std::string, std::size_t, std::less<>>;

class GuestQueue {
 public:
  // `options` and `log` have to outlive it.
  GuestQueue(const LobbyOptions& options, EventLimiter& log);

  std::size_t size() const { return guests_.size(); }
  std::size_t CountOf(std::string_view ip) const;
  // The next one first.
  std::span<const Guest> guests() const { return guests_; }

  // Addresses take turns, so that one which sends many clients does not keep the others waiting:
  // the guest comes behind those who have no more clients of their own address before them than it
  // has, of which so many are `served`. Returns its place, from 1.
  std::size_t Join(Guest guest, const CountByAddress& served);
  // The next one. Whoever has stopped in the middle of a frame does not hold up those behind.
  std::optional<Guest> Next();

  // Descriptors to wait for, and until when at most.
  void AddFds(std::vector<int>& readable, std::vector<int>& writable) const;
  Deadline NextDuty() const;
  // The server was late by so much; that is not the guests' fault.
  void Forgive(Deadline::duration late);

  // Hears those whose descriptor is `ready` to be read; sends away who is silent or leaves.
  void Hear(const std::set<int>& ready);
  // From time to time, and when somebody has come.
  void TellPlaces();

  // Tells all that they have to go.
  void Close(const Error& reason);

 private:
  bool Keep(Guest& guest, const std::set<int>& ready);
  void Dismiss(Guest& guest, const Error& error);

  const LobbyOptions& options_;
  EventLimiter& log_;
  std::vector<Guest> guests_;  // the next one first
  Deadline next_places_;
};

}  // namespace rdmabench
