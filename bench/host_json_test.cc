#include "bench/host_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>

#include "bench/plan.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::ThrowsMessage;

json Wire() {
  report::Host host;
  host.role = "server";
  host.name = "a";
  host.boot_id = "0d5bf2b5";
  host.kernel = "Linux 6.1";
  host.clock = report::Clock{.source = "tsc", .ns_per_tick = 0.4, .drift_ppm = {}};
  host.device = report::Device{.name = "mlx5_0",
                               .driver = "mlx5_core",
                               .firmware = {},
                               .netdev = "eth1",
                               .pcie_address = "0000:3b:00.0",
                               .port = 1,
                               .link_layer = "ethernet",
                               .link_gbps = 100.0,
                               .data_gbps = 100.0,
                               .pcie = report::Pcie{16.0, 16, 256},
                               .active_mtu_bytes = 4096,
                               .lid = 3,
                               .gid = report::Gid{1, "roce_v2", "::ffff:10.0.0.1"}};
  host.placement = report::Placement{.device_node = 1,
                                     .worker_cpus = {2, 3},
                                     .worker_nodes = {1, 1},
                                     .worker_cores = 2,
                                     .session_cpu = 4,
                                     .memory_node = 1,
                                     .distance = 10,
                                     .reason = "near"};
  return HostToJson(host);
}

TEST(HostJson, ComesBackAsItWas) { EXPECT_EQ(HostToJson(HostFromJson(Wire())), Wire()); }

TEST(HostJson, HasTheLongestReason) {
  json wire = Wire();
  wire["placement"]["reason"] = std::string(report::kMostReasonBytes, 'r');
  EXPECT_EQ(HostToJson(HostFromJson(wire)), wire);
}

// With so many devices, all as the first.
json WithRails(std::size_t count) {
  json wire = Wire();
  const json rail = {
      {"device", wire["device"]}, {"placement", wire["placement"]}, {"paired_by", "subnet"}};
  wire["rails"] = json::array();
  for (std::size_t i = 0; i < count; ++i) wire["rails"].push_back(rail);
  return wire;
}

TEST(HostJson, HasAllOfSeveralDevices) {
  EXPECT_EQ(HostFromJson(WithRails(2)).rails[1].paired_by, "subnet");
  EXPECT_EQ(HostToJson(HostFromJson(WithRails(3))), WithRails(3));
}

TEST(HostJson, RefusesDevicesThatAreNotSeveral) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kMostRails + 1}) {
    EXPECT_THROW(HostFromJson(WithRails(count)), Error) << count;
  }
  json wire = WithRails(2);
  wire["rails"][1]["paired_by"] = "chance";
  EXPECT_THROW(HostFromJson(wire), Error);
}

struct Planted {
  const char* path;
  json value;
};
class HostileHost : public testing::TestWithParam<Planted> {};

// What the schema of the report does not allow must not come in from the other side.
TEST_P(HostileHost, IsRefused) {
  json wire = Wire();
  wire[json::json_pointer(GetParam().path)] = GetParam().value;
  EXPECT_THROW(HostFromJson(wire), Error) << GetParam().path;
}

INSTANTIATE_TEST_SUITE_P(
    Fields, HostileHost,
    testing::Values(Planted{"/role", "client"}, Planted{"/role", "attacker"}, Planted{"/name", ""},
                    Planted{"/name", 5}, Planted{"/extra", 1}, Planted{"/clock/source", "sundial"},
                    Planted{"/clock/ns_per_tick", 0}, Planted{"/device/name", ""},
                    Planted{"/device/port", 0}, Planted{"/device/link_layer", "token ring"},
                    Planted{"/device/link_gbps", 0}, Planted{"/device/data_gbps", 0},
                    Planted{"/device/pcie", 16}, Planted{"/device/pcie/lanes", 0},
                    Planted{"/device/pcie/gigatransfers_per_second", 0},
                    Planted{"/device/pcie/max_payload_bytes", 1},
                    Planted{"/device/active_mtu_bytes", 0}, Planted{"/device/lid", 65536},
                    Planted{"/device/gid/type", "roce_v3"}, Planted{"/device/gid/index", -1},
                    Planted{"/placement/worker_cpus", "all"},
                    Planted{"/placement/worker_nodes", {-1}}, Planted{"/placement/worker_cores", 0},
                    Planted{"/placement/worker_cores", 3}, Planted{"/placement/pages_on_node", 1.0},
                    Planted{"/boot_id", 1}, Planted{"/placement/device_node", 4294967296}));

}  // namespace
}  // namespace rdmabench
