#include "transport/frame.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "transport/error.h"
#include "transport/json_reader.h"
#include "transport/printable.h"

namespace rdmabench {
namespace {

constexpr std::size_t kHeaderBytes = 4;
constexpr std::size_t kLongestKind = 64;

// What the first four bytes tell about somebody who has the wrong port.
struct Protocol {
  std::string_view start;
  std::string_view name;
};

constexpr std::array kProtocols = {
    Protocol{"GET ", "HTTP"}, Protocol{"POST", "HTTP"}, Protocol{"HEAD", "HTTP"},
    Protocol{"PUT ", "HTTP"}, Protocol{"OPTI", "HTTP"}, Protocol{"HTTP", "HTTP"},
    Protocol{"PRI ", "HTTP"}, Protocol{"SSH-", "SSH"},  Protocol{"\x16\x03", "TLS"},
};

std::string_view ProtocolOf(std::string_view start) {
  for (const Protocol& protocol : kProtocols) {
    if (start.starts_with(protocol.start)) return protocol.name;
  }
  return "another protocol";
}

[[noreturn]] void RefuseLength(std::string_view header, std::size_t length, std::size_t limit) {
  const std::string_view protocol = ProtocolOf(header);
  const bool text =
      std::all_of(header.begin(), header.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (text || protocol == "TLS") {
    throw Error(Blame::kRun, "the peer began with '" + Printable(header, kHeaderBytes * 4) +
                                 "', which looks like " + std::string(protocol) +
                                 " and not like rdmabench");
  }
  throw Error(Blame::kRun, "the peer announced a frame of " + std::to_string(length) +
                               " bytes, allowed are 1 to " + std::to_string(limit));
}

}  // namespace

std::string EncodeFrame(std::string_view kind, const nlohmann::json& body) {
  // Texts of the system need not be UTF-8; a frame has to be.
  const auto text = [](const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  const std::string json = "{" + text(kind) + ":" + text(body) + "}";
  if (json.size() > kMaxFrame) {
    throw Error(Blame::kRun, "cannot send '" + std::string(kind) + "': it takes " +
                                 std::to_string(json.size()) + " bytes, allowed are " +
                                 std::to_string(kMaxFrame));
  }
  std::string frame;
  frame.reserve(kHeaderBytes + json.size());
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>((json.size() >> shift) & 0xffU);
  return frame + json;
}

std::pair<std::string, nlohmann::json> ParseFrame(std::string_view text, std::size_t most_values) {
  nlohmann::json frame = ParseJson(text, "a frame", Blame::kRun, most_values);
  if (!frame.is_object() || frame.size() != 1) {
    throw Error(Blame::kRun, "a frame has to be an object with one key, its kind");
  }
  const auto only = frame.begin();
  return {Printable(only.key(), kLongestKind), std::move(only.value())};
}

std::size_t FrameDecoder::wanted() const {
  if (header_bytes_ < kHeaderBytes) return kHeaderBytes - header_bytes_;
  return body_bytes_ - body_.size();
}

std::optional<std::string> FrameDecoder::Feed(std::span<const char> bytes) {
  assert(bytes.size() <= wanted());
  if (header_bytes_ < kHeaderBytes) {
    for (const char c : bytes) header_[header_bytes_++] = static_cast<unsigned char>(c);
    if (header_bytes_ < kHeaderBytes) return std::nullopt;
    body_bytes_ = 0;
    for (const unsigned char byte : header_) body_bytes_ = (body_bytes_ << 8U) | byte;
    if (body_bytes_ == 0 || body_bytes_ > limit_) {
      RefuseLength({reinterpret_cast<const char*>(header_), kHeaderBytes}, body_bytes_, limit_);
    }
    return std::nullopt;
  }
  body_.append(bytes.data(), bytes.size());
  if (body_.size() < body_bytes_) return std::nullopt;
  header_bytes_ = 0;
  return std::exchange(body_, {});
}

}  // namespace rdmabench
