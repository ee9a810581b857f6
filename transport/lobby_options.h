// What the lobby and its reception are told.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "transport/server_status.h"

namespace rdmabench {

struct LobbyOptions {
  std::vector<std::string> bind = {};  // addresses; empty: all
  std::uint16_t port = 18515;
  std::string secret_file = {};  // empty: nobody has to prove anything
  std::size_t sessions = 1;      // served at once
  std::size_t queue = 64;        // waiting for their turn; one more is refused with these figures
  std::size_t strangers = 64;    // connections that have not said who they are
  std::size_t per_address = 32;  // strangers, queued and served ones of one IP address
  std::chrono::milliseconds hello_timeout{5000};       // to say hello and to prove the secret
  std::chrono::milliseconds wrong_secret_delay{1000};  // until one who has a wrong one is told
  std::chrono::milliseconds heartbeat{500};
  std::chrono::milliseconds peer_timeout{1500};  // silence of a queued client
  std::chrono::milliseconds kill_after{5000};    // from SIGTERM to SIGKILL of sessions at the end
  bool once = false;                             // return after the first session has ended
  std::string tool_version = {};
  // Of the sessions, which keep them; the others are those above. For `rdmabench status`.
  ServerStatus::Limits session_limits = {};
  // Called when one of the figures has changed; may be empty.
  std::function<void(std::size_t sessions, std::size_t queued)> crowd_changed = {};
};

}  // namespace rdmabench
