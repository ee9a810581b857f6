// Guests that have asked what the server is doing: each gets its answer, and time to read it.
#pragma once

#include <set>
#include <vector>

#include "transport/deadline.h"
#include "transport/guest.h"
#include "transport/lobby_options.h"
#include "transport/server_status.h"

namespace rdmabench {

class StatusDesk {
 public:
  explicit StatusDesk(const LobbyOptions& options) : options_(options) {}  // has to outlive it

  // Sends the answer. When there are too many, the one that has been here longest has to go.
  void Answer(Guest guest, const ServerStatus& status);

  // Descriptors to wait for, and until when at most.
  void AddFds(std::vector<int>& readable, std::vector<int>& writable) const;
  Deadline NextDuty() const;
  // Sends on; lets go who has left, or whose time is over.
  void Turn(const std::set<int>& ready);

 private:
  struct Reader {
    Guest guest;
    Deadline until;
  };
  static bool Keep(Reader& reader, const std::set<int>& ready);

  const LobbyOptions& options_;
  std::vector<Reader> readers_;  // the oldest first
};

}  // namespace rdmabench
