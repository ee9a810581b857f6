// What a stranger's connection may carry: bytes in pieces of any size, frames in them, any JSON in
// these. The first byte of the input chooses the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/error.h"
#include "transport/frame.h"
#include "transport/fuzz_entry.h"

namespace rdmabench {
namespace {

constexpr std::size_t kLimit = 4096;

struct Decoded {
  std::vector<std::string> frames;
  std::string refusal;  // empty: none
  bool operator==(const Decoded&) const = default;
};

// Takes from 1 to `longest` bytes at a time.
Decoded Decode(std::string_view bytes, unsigned longest) {
  Decoded decoded;
  FrameDecoder decoder(kLimit);
  std::minstd_rand random(longest);
  while (!bytes.empty()) {
    const std::size_t wanted = decoder.wanted();
    Expect(wanted >= 1 && wanted <= kLimit, "a decoder wants what the limit allows");
    const std::size_t piece = std::min({bytes.size(), wanted, std::size_t{1 + random() % longest}});
    std::optional<std::string> frame;
    try {
      frame = decoder.Feed(bytes.substr(0, piece));
    } catch (const Error& error) {
      decoded.refusal = error.what();
      return decoded;
    }
    bytes.remove_prefix(piece);
    if (!frame) continue;
    Expect(decoder.empty(), "after a frame there is none under way");
    decoded.frames.push_back(*std::move(frame));
  }
  return decoded;
}

// What is understood can be passed on and is understood again.
void ParseAndPassOn(const std::string& text) {
  const auto [kind, body] = ParseFrame(text);
  const std::string encoded = EncodeFrame(kind, body);
  FrameDecoder decoder(kMaxFrame);
  const std::string_view view = encoded;
  decoder.Feed(view.substr(0, 4));
  const std::optional<std::string> again = decoder.Feed(view.substr(4));
  Expect(again.has_value(), "an encoded frame is one frame");
  Expect(ParseFrame(*again) == std::pair(kind, body), "a frame is what was encoded");
}

}  // namespace
}  // namespace rdmabench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmabench;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Decoded decoded = Decode(bytes, 1U + data[0]);
  Expect(decoded == Decode(bytes, 1), "frames do not depend on the pieces in which they come");
  for (const std::string& frame : decoded.frames) {
    ExpectOnlyErrors([&] { ParseAndPassOn(frame); });
  }
  ExpectOnlyErrors([&] {
    if (!decoded.refusal.empty()) throw Error(Blame::kRun, decoded.refusal);
  });
  return 0;
}
