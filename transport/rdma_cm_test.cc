#include "transport/rdma_cm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/qp_type.h"
#include "transport/rdma_cm_channel.h"
#include "transport/rdma_cm_pairs.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

auto ThrowsUsage(const std::string& complaint) {
  return Throws<Error>(
      AllOf(Property(&Error::blame, Blame::kUsage), Property(&Error::what, HasSubstr(complaint))));
}

constexpr CmHello kHello = {
    .token = 0x0102030405060708, .index = 0x11121314, .qpn = 0x00212223, .qkey = 0xf1f2f3f4};

// A request that carries the beginning of `data`.
CmEvent Carrying(std::span<const std::byte> data) {
  CmEvent event;
  std::copy(data.begin(), data.end(), event.private_data.begin());
  return event;
}

TEST(CmHello, ComesBackAsItWent) {
  const CmHello read = ReadCmHello(Carrying(WriteCmHello(kHello)));
  EXPECT_EQ(read.token, kHello.token);
  EXPECT_EQ(read.index, kHello.index);
  EXPECT_EQ(read.qpn, kHello.qpn);
  EXPECT_EQ(read.qkey, kHello.qkey);
}

TEST(CmHello, IsInNetworkByteOrderWithoutGaps) {
  constexpr std::array<std::uint8_t, 20> kWire = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                                                  0x08, 0x11, 0x12, 0x13, 0x14, 0x00, 0x21,
                                                  0x22, 0x23, 0xf1, 0xf2, 0xf3, 0xf4};
  const CmHelloBytes bytes = WriteCmHello(kHello);
  static_assert(sizeof bytes == sizeof kWire);
  EXPECT_EQ(std::memcmp(bytes.data(), kWire.data(), sizeof kWire), 0);
}

// The kernel pads private data to the size of its message, so the length says nothing.
TEST(CmHello, IsReadWithoutWhatFollowsIt) {
  CmEvent event;
  event.private_data.fill(std::byte{0xff});
  const CmHelloBytes bytes = WriteCmHello(kHello);
  std::copy(bytes.begin(), bytes.end(), event.private_data.begin());
  EXPECT_EQ(ReadCmHello(event).qkey, kHello.qkey);
}

TEST(CmHello, LacksTheTokenWhenNothingWasSent) { EXPECT_EQ(ReadCmHello({}).token, 0U); }

TEST(CmHello, LacksTheWholeTokenWhenItWasCutShort) {
  const CmHelloBytes bytes = WriteCmHello(kHello);
  const CmHello read = ReadCmHello(Carrying(std::span(bytes).first(7)));
  EXPECT_EQ(read.token, 0x0102030405060700U);
  EXPECT_EQ(read.index, 0U);
}

sockaddr_in NarrowOf(CmAddress address) {
  sockaddr_in narrow{};
  std::memcpy(&narrow, address.get(), sizeof narrow);
  return narrow;
}

sockaddr_in6 WideOf(CmAddress address) {
  sockaddr_in6 wide{};
  std::memcpy(&wide, address.get(), sizeof wide);
  return wide;
}

struct Written {
  const char* name;
  const char* ip;
  int family;
  const char* text;
};

class WrittenAddress : public ::testing::TestWithParam<Written> {};

TEST_P(WrittenAddress, HasItsFamily) {
  CmAddress address(GetParam().ip, 18515);
  EXPECT_EQ(address.get()->sa_family, GetParam().family);
}

TEST_P(WrittenAddress, IsNamedInItsShortForm) {
  CmAddress address(GetParam().ip, 18515);
  EXPECT_EQ(CmAddressText(address.get()), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, WrittenAddress,
    ::testing::Values(
        Written{"ipv4", "192.168.77.1", AF_INET, "192.168.77.1"},
        Written{"ipv6", "fd77::1", AF_INET6, "fd77::1"},
        Written{"ipv6_long", "fd77:0000:0000:0000:0000:0000:0000:0001", AF_INET6, "fd77::1"},
        Written{"mapped", "::ffff:192.168.77.1", AF_INET, "192.168.77.1"},
        Written{"mapped_hex", "0000:0000:0000:0000:0000:ffff:c0a8:4d01", AF_INET, "192.168.77.1"},
        Written{"compatible", "::192.168.77.1", AF_INET6, "::192.168.77.1"},
        Written{"link_local", "fe80::1%lo", AF_INET6, "fe80::1%lo"},
        Written{"link_local_without_zone", "fe80::1", AF_INET6, "fe80::1"}),
    [](const auto& test) { return test.param.name; });

TEST(CmAddress, HasItsPortInNetworkByteOrder) {
  EXPECT_EQ(NarrowOf({"192.168.77.1", 18515}).sin_port, htons(18515));
  EXPECT_EQ(WideOf({"fd77::1", 18515}).sin6_port, htons(18515));
}

TEST(CmAddress, KeepsItsPortWhenItWasMapped) {
  EXPECT_EQ(NarrowOf({"::ffff:192.168.77.1", 18515}).sin_port, htons(18515));
}

TEST(CmAddress, KeepsItsZone) {
  EXPECT_EQ(WideOf({"fe80::1%lo", 0}).sin6_scope_id, if_nametoindex("lo"));
}

TEST(CmAddressText, IsEmptyWhileThereIsNone) {
  const sockaddr_storage none{};
  EXPECT_EQ(CmAddressText(reinterpret_cast<const sockaddr*>(&none)), "");
}

class NoAddress : public ::testing::TestWithParam<const char*> {};

TEST_P(NoAddress, IsRefused) {
  const std::string ip = GetParam();
  EXPECT_THAT([&] { CmAddress(ip, 18515); }, ThrowsUsage("'" + ip + "' is not an IP address"));
}

INSTANTIATE_TEST_SUITE_P(Texts, NoAddress,
                         ::testing::Values("", "localhost", "192.168.77.256", "192.168.77.1.1",
                                           "192.168.77.1:18515", "192.168.77.1 ", "fd77::1::2",
                                           "[fd77::1]", "fd77::1/64", "fe80::1%no_such_zone"));

struct Failure {
  const char* name;
  rdma_cm_event_type type;
  int status;
  const char* text;
  bool transient;
};

class EachCmFailure : public ::testing::TestWithParam<Failure> {
 protected:
  static CmEvent Event() {
    CmEvent event;
    event.type = GetParam().type;
    event.status = GetParam().status;
    return event;
  }
};

TEST_P(EachCmFailure, IsOne) { EXPECT_TRUE(IsFailure(Event())); }

TEST_P(EachCmFailure, SaysWhatHappened) { EXPECT_EQ(CmFailureText(Event()), GetParam().text); }

TEST_P(EachCmFailure, IsTransientUnlessItWasDecided) {
  EXPECT_EQ(IsTransient(Event()), GetParam().transient);
}

INSTANTIATE_TEST_SUITE_P(
    Refusals, EachCmFailure,
    ::testing::Values(
        Failure{"no_queue_pair", RDMA_CM_EVENT_REJECTED, 1,
                "the peer said no: it has no queue pair left", true},
        Failure{"no_resources", RDMA_CM_EVENT_REJECTED, 3,
                "the peer said no: it has no resources left", true},
        Failure{"too_slow", RDMA_CM_EVENT_REJECTED, 4,
                "the peer said no: it was too slow to answer", true},
        Failure{"no_listener", RDMA_CM_EVENT_REJECTED, 8,
                "the peer said no: nobody listens on that port", true},
        Failure{"stale", RDMA_CM_EVENT_REJECTED, 10,
                "the peer said no: it remembers an earlier connection of this queue pair number",
                true},
        Failure{"refused", RDMA_CM_EVENT_REJECTED, 28, "the peer said no: its program refused",
                false},
        Failure{"datagram_no_listener", RDMA_CM_EVENT_UNREACHABLE, 1,
                "the peer said no: nobody listens on that port", true},
        Failure{"datagram_refused", RDMA_CM_EVENT_UNREACHABLE, 2,
                "the peer said no: its program refused", false},
        Failure{"datagram_no_queue_pair", RDMA_CM_EVENT_UNREACHABLE, 3,
                "the peer said no: it has no queue pair for us", false}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Others, EachCmFailure,
    ::testing::Values(
        Failure{"no_answer", RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT,
                "the peer did not answer: Connection timed out", true},
        Failure{"no_route", RDMA_CM_EVENT_ROUTE_ERROR, -ETIMEDOUT,
                "no RDMA path to the address was found: Connection timed out", true},
        Failure{"no_neighbour", RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH,
                "no way from an RDMA device to the address was found: No route to host", true},
        Failure{"no_device", RDMA_CM_EVENT_ADDR_ERROR, -ENODEV,
                "no way from an RDMA device to the address was found: No such device", false},
        Failure{"not_our_address", RDMA_CM_EVENT_ADDR_ERROR, -EADDRNOTAVAIL,
                "no way from an RDMA device to the address was found: "
                "Cannot assign requested address",
                false},
        Failure{"two_families", RDMA_CM_EVENT_ADDR_ERROR, -EAFNOSUPPORT,
                "no way from an RDMA device to the address was found: "
                "Address family not supported by protocol",
                false},
        Failure{"invalid", RDMA_CM_EVENT_ROUTE_ERROR, -EINVAL,
                "no RDMA path to the address was found: Invalid argument", false},
        Failure{"ended", RDMA_CM_EVENT_DISCONNECTED, 0, "the peer ended the connection", true},
        Failure{"removed", RDMA_CM_EVENT_DEVICE_REMOVAL, 0, "the RDMA device was removed", false},
        Failure{"unknown_reason", RDMA_CM_EVENT_REJECTED, 99, "the peer said no (reason 99)", true},
        Failure{"reason_of_the_other_service", RDMA_CM_EVENT_UNREACHABLE, 8,
                "the peer did not answer (reason 8)", true},
        Failure{"success_that_failed", RDMA_CM_EVENT_ESTABLISHED, -ENOMEM,
                "RDMA_CM_EVENT_ESTABLISHED: Cannot allocate memory", true}),
    [](const auto& test) { return test.param.name; });

TEST(CmError, WithoutAnEventIsOfAPeerThatDoesNotAnswer) {
  const Error error = CmLateError("cannot accept it in time: the peer did not ask for it");
  EXPECT_STREQ(error.what(), "cannot accept it in time: the peer did not ask for it");
  EXPECT_EQ(error.entry(), "RDMA_CM_EVENT_UNREACHABLE");
  EXPECT_EQ(error.blame(), Blame::kRun);
  EXPECT_EQ(error.remedy(), CmLateRemedy());
}

CmOptions OptionsOf(const char* type) {
  CmOptions options;
  options.type = &FindQpType(type);
  return options;
}

TEST(CmService, ConnectsRcByTheReliablePortSpace) {
  const CmService& service = CmServiceOf(OptionsOf("rc"));
  EXPECT_EQ(service.type, IBV_QPT_RC);
  EXPECT_EQ(service.port_space, RDMA_PS_TCP);
  EXPECT_TRUE(service.connected);
}

TEST(CmService, OnlyAnswersUdByTheDatagramPortSpace) {
  const CmService& service = CmServiceOf(OptionsOf("ud"));
  EXPECT_EQ(service.type, IBV_QPT_UD);
  EXPECT_EQ(service.port_space, RDMA_PS_UDP);
  EXPECT_FALSE(service.connected);
}

TEST(CmService, RefusesUc) {
  EXPECT_THAT([] { CmServiceOf(OptionsOf("uc")); },
              ThrowsUsage("rdma_cm cannot connect uc queue pairs"));
}

// What CmConnect() says to options and a door that it has to refuse before it opens rdma_cm.
void Connect(const char* type, const char* ip) {
  const CmOptions options = OptionsOf(type);
  const CmDoor door = {.ip = ip, .port = 18515, .token = 1};
  const std::atomic<bool> give_up{false};
  ibv_qp qp{};
  ibv_qp* const qps[] = {&qp};
  CmConnect(door, qps, options, Now(), give_up);
}

TEST(CmConnect, RefusesUcWithoutADevice) {
  EXPECT_THAT([] { Connect("uc", "192.168.77.1"); },
              ThrowsUsage("rdma_cm cannot connect uc queue pairs"));
}

TEST(CmConnect, RefusesADoorThatIsNoAddressWithoutADevice) {
  EXPECT_THAT([] { Connect("rc", "the_peer"); }, ThrowsUsage("'the_peer' is not an IP address"));
}

}  // namespace
}  // namespace rdmabench
