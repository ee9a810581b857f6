#include "bench/path_remark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/gid.h"

namespace rdmabench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Path Between(const char* client, const char* server, GidType type = GidType::kRoceV2) {
  const auto gid = [type](int index, const char* text) {
    return Gid{.index = index, .type = type, .raw = ParseGid(text), .netdev = {}};
  };
  return {.mtu_bytes = 1024, .client_gid = gid(1, client), .server_gid = gid(2, server)};
}

Agreement Of(std::vector<Path> paths) {
  Agreement agreement;
  agreement.paths = std::move(paths);
  return agreement;
}

std::vector<report::Host> Hosts() {
  report::Host host;
  host.device.emplace().name = "mlx5_0";
  return {host, host};
}

TEST(PathRemark, IsOfGidsInDifferentSubnets) {
  EXPECT_EQ(PathRemark(Of({Between("::ffff:192.0.2.1", "::ffff:198.51.100.1")})),
            "the client's GID 1 ::ffff:192.0.2.1 and the server's GID 2 ::ffff:198.51.100.1 are in "
            "different subnets (/24): is there a router between them?");
  EXPECT_THAT(PathRemark(Of({Between("fd77::1", "fd78::1", GidType::kRoceV1)})),
              AllOf(HasSubstr("(/64)"), HasSubstr("no router passes RoCE v1 on")));
}

TEST(PathRemark, IsNoneOfGidsInOneSubnetAndOfLids) {
  EXPECT_EQ(PathRemark(Of({Between("::ffff:192.0.2.1", "::ffff:192.0.2.9")})), "");
  EXPECT_EQ(PathRemark(Of({Between("fe80::1", "fe80::2")})), "");
  EXPECT_EQ(PathRemark(Of({Path{.mtu_bytes = 4096, .client_gid = {}, .server_gid = {}}})), "");
}

// Every machine has this address, in a network that is larger than the usual one.
TEST(PathRemark, GoesByTheNetworkOfThisMachinesAddress) {
  for (const Path& path : {Between("::ffff:127.0.0.1", "::ffff:127.9.9.9"),
                           Between("::ffff:127.9.9.9", "::ffff:127.0.0.1")}) {
    EXPECT_EQ(PathRemark(Of({path})), "");
  }
  EXPECT_THAT(PathRemark(Of({Between("::ffff:127.0.0.1", "::ffff:192.0.2.1")})), HasSubstr("(/8)"));
}

TEST(PathWarnings, AreOfEachPathWithTheNamesOfItsDevices) {
  std::vector<report::Host> hosts = Hosts();
  EXPECT_THAT(PathWarnings(Of({Between("::ffff:192.0.2.1", "::ffff:192.0.2.2")}), hosts),
              IsEmpty());
  EXPECT_THAT(PathWarnings(Of({Between("::ffff:192.0.2.1", "::ffff:198.51.100.1")}), hosts),
              ElementsAre(AllOf(HasSubstr("from mlx5_0 to mlx5_0: the client's GID 1"),
                                HasSubstr("--remote-device"))));
  for (report::Host& host : hosts) {
    host.rails.resize(2);
    host.rails[0].device.name = host.role + "one";
    host.rails[1].device.name = host.role + "two";
  }
  EXPECT_THAT(PathWarnings(Of({Between("::ffff:192.0.2.1", "::ffff:192.0.2.2"),
                               Between("::ffff:192.0.2.1", "::ffff:198.51.100.1")}),
                           hosts),
              ElementsAre(HasSubstr("from two to two:")));
}

}  // namespace
}  // namespace rdmabench
