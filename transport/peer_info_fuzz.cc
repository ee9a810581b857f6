// What a peer may tell of its queue pairs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "transport/fuzz_entry.h"
#include "transport/peer_info.h"

namespace rdmabench {
namespace {

constexpr std::uint32_t kAgreed = 2;

void Read(const nlohmann::json& body, std::uint32_t queue_pairs) {
  const PeerInfo info = PeerInfoFromJson(body, queue_pairs);
  Expect(info.queue_pairs.size() == queue_pairs, "there are as many queue pairs as were agreed");
  Expect(info.addr + info.bytes >= info.addr, "memory ends within the address space");
  const nlohmann::json written = PeerInfoToJson(info);
  Expect(PeerInfoToJson(PeerInfoFromJson(written, queue_pairs)) == written,
         "peer information is written as it was read");
}

}  // namespace
}  // namespace rdmabench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmabench;
  return FuzzJson(data, size, [](const nlohmann::json& body) {
    ExpectOnlyErrors([&] { Read(body, kAgreed); });
    // As many as it tells of, so that their number is not all that it fails by.
    if (!body.is_object() || !body.contains("queue_pairs")) return;
    Read(body, static_cast<std::uint32_t>(body["queue_pairs"].size()));
  });
}
