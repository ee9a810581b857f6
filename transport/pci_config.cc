#include "transport/pci_config.h"

#include <cstddef>

namespace rdmabench {
namespace {

constexpr std::size_t kStatus = 0x06;
constexpr std::size_t kFirstCapability = 0x34;
constexpr std::size_t kExtendedCapabilities = 0x100;
constexpr unsigned kHasCapabilities = 0x10;
constexpr unsigned kExpress = 0x10;
constexpr unsigned kAccessControl = 0x0d;
// Lists that go round end: no more fit into the space.
constexpr unsigned kMostCapabilities = 48;
constexpr unsigned kMostExtendedCapabilities = 480;

constexpr unsigned kDownstreamSwitchPort = 6;
constexpr unsigned kReservedSize = 6;  // of sizes, 128 << code

class Space {
 public:
  explicit Space(std::string_view bytes) : bytes_(bytes) {}
  std::size_t size() const { return bytes_.size(); }
  unsigned Byte(std::size_t at) const {
    return at < bytes_.size() ? static_cast<unsigned char>(bytes_[at]) : 0U;
  }
  unsigned Word(std::size_t at) const { return Byte(at) | Byte(at + 1) << 8U; }

  // Where the capability stands; 0 where there is none.
  std::size_t Find(unsigned id) const {
    constexpr std::size_t kSize = 256;
    if (size() < kSize || (Byte(kStatus) & kHasCapabilities) == 0) return 0;
    std::size_t at = Byte(kFirstCapability) & 0xfcU;
    for (unsigned i = 0; i < kMostCapabilities && at != 0; ++i) {
      if (Byte(at) == id) return at;
      at = Byte(at + 1) & 0xfcU;
    }
    return 0;
  }
  std::size_t FindExtended(unsigned id) const {
    std::size_t at = kExtendedCapabilities;
    for (unsigned i = 0; i < kMostExtendedCapabilities && at != 0; ++i) {
      if (at + 8 > size()) return 0;
      if (Word(at) == id) return at;
      at = Word(at + 2) >> 4U & 0xffcU;
    }
    return 0;
  }

 private:
  std::string_view bytes_;
};

std::optional<std::uint32_t> SizeOf(unsigned code) {
  return code < kReservedSize ? std::optional(128U << code) : std::nullopt;
}

}  // namespace

PciConfig ParsePciConfig(std::string_view bytes) {
  const Space space(bytes);
  PciConfig config;
  if (const std::size_t at = space.Find(kExpress); at != 0) {
    const unsigned control = space.Word(at + 8);
    config.is_downstream_port = (space.Word(at + 2) >> 4U & 0xfU) == kDownstreamSwitchPort;
    config.most_payload_bytes = SizeOf(space.Byte(at + 4) & 7U);
    config.max_payload_bytes = SizeOf(control >> 5U & 7U);
    config.max_read_request_bytes = SizeOf(control >> 12U & 7U);
  }
  if (const std::size_t at = space.FindExtended(kAccessControl); at != 0) {
    constexpr unsigned kRequestRedirect = 1U << 2U;
    config.redirects_requests = (space.Word(at + 6) & kRequestRedirect) != 0;
  }
  return config;
}

}  // namespace rdmabench
