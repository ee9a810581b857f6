#include "transport/interface_address.h"

#include <gtest/gtest.h>

#include "transport/gid.h"

namespace rdmabench {
namespace {

TEST(InterfaceOfAddress, FindsLoopback) { EXPECT_EQ(InterfaceOfAddress("127.0.0.1"), "lo"); }

TEST(InterfaceOfAddress, FindsAMappedAddress) {
  EXPECT_EQ(InterfaceOfAddress("::ffff:127.0.0.1"), "lo");
}

TEST(InterfaceOfAddress, IsEmptyForAnAddressOfNobody) {
  EXPECT_EQ(InterfaceOfAddress("192.0.2.77"), "");
  EXPECT_EQ(InterfaceOfAddress("not an address"), "");
}

TEST(PrefixBitsOf, IsWhatTheInterfaceHas) {
  EXPECT_EQ(PrefixBitsOf(ParseGid("::ffff:127.0.0.1")), 8U);
  EXPECT_EQ(PrefixBitsOf(ParseGid("::ffff:192.0.2.77")), std::nullopt);
}

}  // namespace
}  // namespace rdmabench
