#include "bench/rails.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "transport/error.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Two ports on Ethernet, one that is down, and one on InfiniBand.
class Rails : public testing::Test {
 protected:
  Rails() {
    fake::Reset({{.name = "rxe0", .gids = {{"::ffff:10.0.1.1"}}},
                 {.name = "rxe1", .gids = {{"::ffff:10.0.2.1"}}},
                 {.name = "rxe2", .state = IBV_PORT_DOWN, .gids = {{"::ffff:10.0.3.1"}}},
                 {.name = "ib0",
                  .link_layer = IBV_LINK_LAYER_INFINIBAND,
                  .lid = 17,
                  .gids = {{"fe80::1", IBV_GID_TYPE_IB}}}});
  }
  ~Rails() override { EXPECT_EQ(fake::LiveObjects(), 0U); }

  static std::vector<std::string> Names(const std::vector<OpenPort>& ports) {
    std::vector<std::string> names;
    for (const OpenPort& port : ports) {
      names.push_back(port.device.info().name);
      if (port.why) names.back() += " " + std::string(PairedByName(*port.why));
    }
    return names;
  }
  static std::vector<std::string> Own(std::vector<std::string> devices) {
    return Names(OpenRails({.devices = std::move(devices)}, "10.0.2.1"));
  }
  // The server's, for a client with devices at these addresses.
  static std::vector<std::string> For(const std::vector<std::string>& addresses,
                                      std::vector<std::string> asked,
                                      std::vector<std::string> own = {}) {
    std::vector<Offer> offers;
    for (const std::string& address : addresses) {
      Offer& offer = offers.emplace_back();
      offer.device = "c" + std::to_string(offers.size());
      offer.link_layer = "ethernet";
      offer.gids = {{.index = 0, .type = GidType::kRoceV2, .raw = ParseGid(address), .netdev = {}}};
    }
    return Names(OpenRailsFor(
        {.client = offers, .devices = asked, .client_ip = "10.0.9.2", .server_ip = "10.0.9.1"},
        {.devices = std::move(own)}));
  }
};

constexpr const char* kFirst = "::ffff:10.0.1.2";
constexpr const char* kSecond = "::ffff:10.0.2.2";

TEST_F(Rails, AreTheSessionsDeviceWithoutAName) { EXPECT_THAT(Own({}), ElementsAre("rxe1")); }

TEST_F(Rails, AreThoseThatAreNamedInTheirOrder) {
  EXPECT_THAT(Own({"rxe1", "rxe0:1"}), ElementsAre("rxe1", "rxe0"));
}

TEST_F(Rails, AreAllActivePortsOfTheSessionsLinkLayer) {
  EXPECT_THAT(Own({"all"}), ElementsAre("rxe0", "rxe1"));
}

TEST_F(Rails, AreNotAllWhereADeviceDoesNotOpen) {
  fake::Inject({.failing_call = "ibv_open_device", .failing_errno = EACCES, .failing_after = 7});
  EXPECT_THAT(
      [] { Own({"all"}); },
      ThrowsMessage<Error>(AllOf(HasSubstr("\"all\" cannot be all devices: cannot open ib0 "),
                                 HasSubstr("Permission denied"))));
}

TEST_F(Rails, AreNamedOnceEach) {
  EXPECT_THAT(
      [] {
        Own({"rxe0", "rxe1", "rxe0:1"});
      },
      ThrowsMessage<Error>(HasSubstr("--ib-dev rxe0,rxe1,rxe0:1 names rxe0 port 1 twice")));
}

// Before any is opened, as far as names tell: by then no device has an interface here.
TEST_F(Rails, AreRequiredOnceEachAtTheStart) {
  for (const Local& good : {Local{}, Local{.devices = {"all"}}, Local{.devices = {"rxe0", "rxe1"}},
                            Local{.devices = {"rxe0:1", "rxe0:2"}}}) {
    EXPECT_NO_THROW(RequireDevices(good));
  }
  EXPECT_THAT(
      [] {
        RequireDevices({.devices = {"rxe0", "rxe1", "rxe0"}});
      },
      ThrowsMessage<Error>("--ib-dev rxe0,rxe1,rxe0 names rxe0 twice"));
  EXPECT_THAT(
      [] {
        RequireDevices({.devices = {"rxe0:1", "rxe0:1"}});
      },
      ThrowsMessage<Error>("--ib-dev rxe0:1,rxe0:1 names rxe0 port 1 twice"));
  EXPECT_THAT(
      [] {
        RequireDevices({.devices = {"rxe0", "nope"}});
      },
      ThrowsMessage<Error>(HasSubstr("is named \"nope\"; there are: rxe0")));
}

TEST_F(Rails, ThatAreNotThereAreRefusedWithThoseThatAre) {
  EXPECT_THAT(
      [] {
        Own({"rxe0", "mlx5_0"});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("mlx5_0"), HasSubstr("rxe1"))));
  EXPECT_THAT([] { Own({"rxe0:2"}); }, ThrowsMessage<Error>(HasSubstr("no port 2")));
  EXPECT_THAT([] { Own({"rxe2"}); }, ThrowsMessage<Error>(HasSubstr("down")));
}

TEST_F(Rails, OfAServerAreThoseOfTheClientsSubnets) {
  EXPECT_THAT(For({kSecond, kFirst}, {}), ElementsAre("rxe1 subnet", "rxe0 subnet"));
  EXPECT_THAT(For({kSecond}, {}), ElementsAre("rxe1 subnet"));
}

TEST_F(Rails, OfAServerAreTheDefaultForOneDeviceWithoutAMatch) {
  EXPECT_THAT(For({"::ffff:10.0.7.2"}, {}), ElementsAre("rxe0"));
}

TEST_F(Rails, OfAServerAreThoseThatTheClientAsksFor) {
  EXPECT_THAT(For({kFirst, kSecond}, {"rxe1", "rxe0"}), ElementsAre("rxe1 client", "rxe0 client"));
  EXPECT_THAT(For({kFirst, kSecond}, {"all"}), ElementsAre("rxe0 client", "rxe1 client"));
}

TEST_F(Rails, OfAServerAreItsOwnWhereItHasAList) {
  EXPECT_THAT(For({kFirst}, {}, {"rxe1"}), ElementsAre("rxe1 server"));
}

TEST_F(Rails, OfAServerWithAListCannotBeAskedFor) {
  EXPECT_THAT(
      [] { For({kFirst}, {"rxe0"}, {"rxe1"}); },
      ThrowsMessage<Error>(AllOf(HasSubstr("--remote-device rxe0"), HasSubstr("--ib-dev rxe1"))));
}

TEST_F(Rails, OfUnequalNumberAreRefusedNamingBothLists) {
  EXPECT_THAT(
      [] {
        For({kFirst, kSecond}, {}, {"rxe1"});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("2 devices (c1,c2)"), HasSubstr("1 device (rxe1)"))));
  EXPECT_THAT(
      [] {
        For({kFirst}, {"rxe0", "rxe1"});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("1 device (c1)"), HasSubstr("2 devices (rxe0,rxe1)"))));
  EXPECT_THAT(
      [] {
        For({kFirst, kSecond, kFirst}, {});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("3 devices (c1,c2,c3)"), HasSubstr("rxe1"))));
}

}  // namespace
}  // namespace rdmabench
