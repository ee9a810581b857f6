// The unit of the session: a 4-byte big-endian length, then that many bytes of UTF-8 JSON. The JSON
// is an object with one key, the frame's kind: {"plan": {…}}, {"heartbeat": {}}, {"error": {…}}.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "transport/json_reader.h"

namespace rdmabench {

// What a guest of the lobby can have to say: hello, a proof, why it leaves.
inline constexpr std::size_t kMaxFrameOfGuest = std::size_t{8} << 10;
inline constexpr std::size_t kMaxFrameBeforeAcceptance = std::size_t{1} << 20;
// Those of a plan of as many bytes; a value takes up to 50 times the bytes of its text.
inline constexpr std::size_t kMostValuesBeforeAcceptance = 100'000;
inline constexpr std::size_t kMaxFrame = std::size_t{16} << 20;

// The bytes of one frame. Throws Error(kRun) when the body is beyond kMaxFrame.
std::string EncodeFrame(std::string_view kind, const nlohmann::json& body);

// The kind and the body of a frame's text. Throws Error(kRun) when it is not an object with one
// key.
std::pair<std::string, nlohmann::json> ParseFrame(std::string_view text,
                                                  std::size_t most_values = kMostJsonValues);

// Assembles frames from bytes as they come. It never asks for a byte beyond the frame under way, so
// a connection can be handed to another process at a frame's end.
class FrameDecoder {
 public:
  explicit FrameDecoder(std::size_t limit = kMaxFrameBeforeAcceptance) : limit_(limit) {}

  void set_limit(std::size_t limit) { limit_ = limit; }
  // How many bytes the frame under way still lacks; at least 1.
  std::size_t wanted() const;
  // True between frames.
  bool empty() const { return header_bytes_ == 0; }
  // Takes at most wanted() bytes; returns the text of the frame when it is complete. Throws
  // Error(kRun) on a length beyond the limit, with the first bytes as text if they look like
  // another protocol's. Memory grows with the bytes that came, never with the length announced.
  std::optional<std::string> Feed(std::span<const char> bytes);

 private:
  std::size_t limit_;
  unsigned char header_[4] = {};
  std::size_t header_bytes_ = 0;
  std::size_t body_bytes_ = 0;  // announced
  std::string body_;
};

}  // namespace rdmabench
