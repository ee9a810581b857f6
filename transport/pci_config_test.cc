#include "transport/pci_config.h"

#include <gtest/gtest.h>

#include <string>

#include "transport/machine_tree.h"

namespace rdmabench {
namespace {

TEST(PciConfig, HasSizesAndTheKindOfPort) {
  const PciConfig config = ParsePciConfig(BytesOf({.port_type = 6,
                                                   .payload_bytes = 256,
                                                   .most_payload_bytes = 512,
                                                   .read_request_bytes = 4096,
                                                   .access_control = {}}));
  EXPECT_EQ(config.max_payload_bytes, 256U);
  EXPECT_EQ(config.most_payload_bytes, 512U);
  EXPECT_EQ(config.max_read_request_bytes, 4096U);
  EXPECT_TRUE(config.is_downstream_port);
  EXPECT_FALSE(config.redirects_requests);
}

TEST(PciConfig, TellsWhetherRequestsAreRedirected) {
  PciSpace space{.access_control = 0x04U};
  EXPECT_EQ(ParsePciConfig(BytesOf(space)).redirects_requests, true);
  space.access_control = 0x1bU;  // all else
  EXPECT_EQ(ParsePciConfig(BytesOf(space)).redirects_requests, false);
  EXPECT_FALSE(ParsePciConfig(BytesOf(space)).is_downstream_port);
}

// Others than root get 64 bytes; the first space of a function without extended capabilities has
// 256.
TEST(PciConfig, KnowsNothingOfWhatItMayNotRead) {
  const std::string bytes = BytesOf({.access_control = 0x04U});
  const PciConfig some = ParsePciConfig(bytes.substr(0, 256));
  EXPECT_EQ(some.max_payload_bytes, 256U);
  EXPECT_FALSE(some.redirects_requests);
  for (const std::size_t size : {std::size_t{64}, std::size_t{0}}) {
    const PciConfig none = ParsePciConfig(bytes.substr(0, size));
    EXPECT_FALSE(none.max_payload_bytes);
    EXPECT_FALSE(none.max_read_request_bytes);
    EXPECT_FALSE(none.redirects_requests);
  }
}

TEST(PciConfig, DoesNotGoRoundInCapabilitiesThatPointAtEachOther) {
  std::string bytes = BytesOf({});
  bytes[0x41] = 0x40;
  bytes[0x100] = 0x01;  // an extended capability of another kind, the next one is itself
  bytes[0x103] = 0x10;
  const PciConfig config = ParsePciConfig(bytes);
  EXPECT_FALSE(config.max_payload_bytes);
  EXPECT_FALSE(config.redirects_requests);
}

TEST(PciConfig, DoesNotKnowASizeThatIsReserved) {
  std::string bytes = BytesOf({});
  bytes[0x68] = static_cast<char>(7U << 5U);
  EXPECT_FALSE(ParsePciConfig(bytes).max_payload_bytes);
  EXPECT_EQ(ParsePciConfig(bytes).most_payload_bytes, 512U);
}

}  // namespace
}  // namespace rdmabench
