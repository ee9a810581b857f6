#include "transport/guest_queue.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "transport/catalogue.h"
#include "transport/error.h"
#include "transport/peer_error.h"

namespace rdmabench {

GuestQueue::GuestQueue(const LobbyOptions& options, EventLimiter& log)
    : options_(options), log_(log) {}

std::size_t GuestQueue::CountOf(std::string_view ip) const {
  return static_cast<std::size_t>(std::count_if(
      guests_.begin(), guests_.end(), [ip](const Guest& guest) { return guest.ip() == ip; }));
}

std::size_t GuestQueue::Join(Guest guest, const CountByAddress& served) {
  const auto served_of = [&served](const std::string& ip) {
    const auto found = served.find(ip);
    return found == served.end() ? 0 : found->second;
  };
  const std::size_t own = served_of(guest.ip()) + CountOf(guest.ip());
  std::map<std::string_view, std::size_t> before;
  auto behind = guests_.begin();
  for (auto other = guests_.begin(); other != guests_.end(); ++other) {
    const auto count = before.try_emplace(other->ip(), served_of(other->ip())).first;
    if (count->second++ <= own) behind = std::next(other);
  }
  const auto place = static_cast<std::size_t>(behind - guests_.begin()) + 1;
  guests_.insert(behind, std::move(guest));
  next_places_ = Now();
  return place;
}

std::optional<Guest> GuestQueue::Next() {
  const auto next = std::find_if(guests_.begin(), guests_.end(),
                                 [](const Guest& guest) { return guest.can_leave(); });
  if (next == guests_.end()) return std::nullopt;
  Guest guest = std::move(*next);
  guests_.erase(next);
  return guest;
}

void GuestQueue::AddFds(std::vector<int>& readable, std::vector<int>& writable) const {
  for (const Guest& guest : guests_) {
    readable.push_back(guest.fd());
    if (guest.has_unsent()) writable.push_back(guest.fd());
  }
}

Deadline GuestQueue::NextDuty() const {
  Deadline next = guests_.empty() ? Deadline::max() : next_places_;
  for (const Guest& guest : guests_) {
    next = std::min(next, guest.heard_at() + options_.peer_timeout);
  }
  return next;
}

void GuestQueue::Forgive(Deadline::duration late) {
  for (Guest& guest : guests_) guest.Forgive(late);
}

void GuestQueue::Hear(const std::set<int>& ready) {
  std::erase_if(guests_, [&](Guest& guest) { return !Keep(guest, ready); });
}

bool GuestQueue::Keep(Guest& guest, const std::set<int>& ready) {
  try {
    guest.Flush();
    const auto frame =
        ready.contains(guest.fd()) ? guest.Read("while it was queued") : std::nullopt;
    if (frame && frame->first == "error") throw ErrorFromPeer(frame->second);
    if (frame && frame->first != "heartbeat") {
      throw SessionError("out_of_turn", "it sent '" + frame->first + "' while it was queued");
    }
    if (Now() < guest.heard_at() + options_.peer_timeout) return true;
    throw SessionError("silent", "it has been silent for " + InSeconds(options_.peer_timeout));
  } catch (const Error& error) {
    Dismiss(guest, error);
    return false;
  }
}

void GuestQueue::TellPlaces() {
  if (guests_.empty() || Now() < next_places_) return;
  next_places_ = In(options_.heartbeat);
  std::size_t place = 0;
  std::erase_if(guests_, [this, &place](Guest& guest) {
    ++place;
    if (guest.has_unsent()) return false;  // it does not read what it was told before
    try {
      guest.Send("queued", {{"place", place}});
      return false;
    } catch (const Error& error) {
      Dismiss(guest, error);
      --place;
      return true;
    }
  });
}

void GuestQueue::Close(const Error& reason) {
  for (Guest& guest : guests_) Dismiss(guest, reason);
  guests_.clear();
}

void GuestQueue::Dismiss(Guest& guest, const Error& error) {
  log_.Tell(DismissedEvent(guest, error));
  guest.Dismiss(error);
}

}  // namespace rdmabench
