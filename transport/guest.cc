#include "transport/guest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>

#include "transport/catalogue.h"
#include "transport/peer_error.h"

namespace rdmabench {
namespace {

constexpr std::size_t kReadBytes = 4096;
// A guest that sends more than this before it reads why it is dismissed may miss it.
constexpr int kReadsAtDismissal = 64;

}  // namespace

Guest::Guest(Connection connection)
    : connection_(std::move(connection)),
      decoder_(kMaxFrameOfGuest),
      arrived_at_(Now()),
      heard_at_(arrived_at_) {}

void Guest::Forgive(Deadline::duration late) {
  arrived_at_ += late;
  heard_at_ += late;
}

std::optional<std::pair<std::string, nlohmann::json>> Guest::Read(std::string_view when) {
  std::array<char, kReadBytes> buffer = {};
  while (true) {
    const std::size_t most = std::min(buffer.size(), decoder_.wanted());
    const std::size_t count = connection_.Read(std::span(buffer).first(most));
    if (connection_.closed()) {
      throw SessionError(request().empty() ? "no_hello" : "closed",
                         "it closed the connection " + std::string(when));
    }
    if (count == 0) return std::nullopt;
    heard_at_ = Now();
    if (auto frame = Digest(std::span(buffer).first(count))) return frame;
  }
}

std::optional<std::pair<std::string, nlohmann::json>> Guest::Digest(std::span<const char> bytes) {
  try {
    const std::optional<std::string> frame = decoder_.Feed(bytes);
    if (frame) return ParseFrame(*frame);
    return std::nullopt;
  } catch (const Error& error) {
    throw SessionError("no_frame", error.what());
  }
}

void Guest::Send(std::string_view kind, const nlohmann::json& body) {
  unsent_ += EncodeFrame(kind, body);
  Flush();
}

void Guest::Flush() { unsent_.erase(0, connection_.Write(unsent_)); }

void Guest::Dismiss(const Error& reason) noexcept {
  try {
    // Closing with unread bytes would send a reset, which may overtake the reason.
    std::array<char, kReadBytes> buffer = {};
    for (int i = 0; i < kReadsAtDismissal && connection_.Read(buffer) > 0; ++i) continue;
    if (!reason.is_peers()) {  // what the guest has told itself, it knows
      Error placed = reason;
      Send("error", ErrorToJson(placed.At("server", "accepting the client")));
    }
    connection_.FinishWriting();
  } catch (const std::exception&) {
    // It has left already.
  }
}

Event DismissedEvent(const Guest& guest, const Error& error) {
  return {.kind = EventKind::kDismissed,
          .peer = guest.name(),
          .text = std::string("dismissed: ") + error.what(),
          .error = error};
}

}  // namespace rdmabench
