// A client in the lobby: its connection, the frame that is coming in, the bytes that are going out.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/event.h"
#include "transport/frame.h"
#include "transport/handshake.h"
#include "transport/socket.h"

namespace rdmabench {

class Guest {
 public:
  explicit Guest(Connection connection);

  int fd() const { return connection_.fd(); }
  std::string name() const { return connection_.peer().ToString(); }
  const std::string& ip() const { return connection_.peer().ip; }
  // What it has come for, once it has said hello, and what it has to prove.
  Handshake& handshake() { return handshake_; }
  const std::string& request() const { return handshake_.request; }
  Deadline arrived_at() const { return arrived_at_; }
  Deadline heard_at() const { return heard_at_; }
  // The lobby was late by so much; that is not the guest's fault.
  void Forgive(Deadline::duration late);

  // The next frame, when all of it is here. Reads nothing beyond its end. Throws Error(kRun) when
  // the guest has left (`when`, for the text: "before it said hello") or sent what is no frame.
  std::optional<std::pair<std::string, nlohmann::json>> Read(std::string_view when);

  // Sends what the connection takes now, and keeps the rest. Throws Error(kRun) when the guest has
  // left.
  void Send(std::string_view kind, const nlohmann::json& body);
  void Flush();
  bool has_unsent() const { return !unsent_.empty(); }

  // True between frames in both directions: another process can take the connection over.
  bool can_leave() const { return decoder_.empty() && unsent_.empty(); }
  Connection Leave() { return std::move(connection_); }

  // Tells the guest why it has to go, as far as the connection takes it at once. The connection is
  // finished then.
  void Dismiss(const Error& reason) noexcept;

 private:
  // The frame that is complete with these.
  std::optional<std::pair<std::string, nlohmann::json>> Digest(std::span<const char> bytes);

  Connection connection_;
  Handshake handshake_;
  FrameDecoder decoder_;
  std::string unsent_;
  Deadline arrived_at_;
  Deadline heard_at_;
};

// That it was dismissed, and why.
Event DismissedEvent(const Guest& guest, const Error& error);

}  // namespace rdmabench
