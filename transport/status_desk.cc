#include "transport/status_desk.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "transport/error.h"

namespace rdmabench {

void StatusDesk::Answer(Guest guest, const ServerStatus& status) {
  try {
    guest.Send("status", ServerStatusToJson(status));
  } catch (const Error&) {
    return;  // it has left already
  }
  if (readers_.size() >= options_.strangers) readers_.erase(readers_.begin());
  readers_.push_back({.guest = std::move(guest), .until = In(options_.hello_timeout)});
}

void StatusDesk::AddFds(std::vector<int>& readable, std::vector<int>& writable) const {
  for (const Reader& reader : readers_) {
    readable.push_back(reader.guest.fd());
    if (reader.guest.has_unsent()) writable.push_back(reader.guest.fd());
  }
}

Deadline StatusDesk::NextDuty() const {
  Deadline next = Deadline::max();
  for (const Reader& reader : readers_) next = std::min(next, reader.until);
  return next;
}

void StatusDesk::Turn(const std::set<int>& ready) {
  std::erase_if(readers_, [&](Reader& reader) { return !Keep(reader, ready); });
}

bool StatusDesk::Keep(Reader& reader, const std::set<int>& ready) {
  try {
    reader.guest.Flush();
    if (ready.contains(reader.guest.fd())) reader.guest.Read("after it was told the status");
    return Now() < reader.until;
  } catch (const Error&) {
    return false;  // it has read its answer, or does not want it
  }
}

}  // namespace rdmabench
