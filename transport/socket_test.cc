#include "transport/socket.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <future>

#include "transport/descriptor.h"
#include "transport/error.h"
#include "transport/loopback.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;
using ::testing::ThrowsMessage;

std::array<std::string, 1> Here() { return {"127.0.0.1"}; }

// Throws an error of this row of the catalogue, which says so.
auto Fails(const char* entry, const std::string& text) {
  return Throws<Error>(
      AllOf(Property(&Error::entry, entry), Property(&Error::what, HasSubstr(text))));
}

// While it is there, no descriptor can be made.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const Descriptor lowest_unused(dup(STDIN_FILENO));
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(lowest_unused.get());
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

std::uint16_t UnusedPort() { return Listener(Here(), 0).port(); }

// What the connection brings next; empty at its end.
std::string ReadSome(Connection& connection) {
  std::array<char, 100> buffer = {};
  const std::array<int, 1> fd = {connection.fd()};
  WaitReady(fd, {}, In(kTestPatience));
  return {buffer.data(), connection.Read(buffer)};
}

TEST(SocketAddress, PutsBracketsAroundIpv6) {
  EXPECT_EQ((SocketAddress{"192.168.77.2", 18515}.ToString()), "192.168.77.2:18515");
  EXPECT_EQ((SocketAddress{"fd77::2", 18515}.ToString()), "[fd77::2]:18515");
}

TEST(Connection, CarriesBytesAndTellsTheEnd) {
  ConnectedPair pair = Connect();
  SendAll(pair.dialled, "hello");
  EXPECT_EQ(ReadSome(pair.accepted), "hello");
  pair.dialled.FinishWriting();
  EXPECT_EQ(ReadSome(pair.accepted), "");
  EXPECT_TRUE(pair.accepted.closed());
  SendAll(pair.accepted, "still");
  EXPECT_EQ(ReadSome(pair.dialled), "still");
}

TEST(Connection, NeverBlocks) {
  ConnectedPair pair = Connect();
  std::array<char, 10> buffer = {};
  EXPECT_EQ(pair.accepted.Read(buffer), 0U);
  EXPECT_FALSE(pair.accepted.closed());
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 1000 && pair.dialled.Write(megabyte) > 0; ++i) continue;
  EXPECT_EQ(pair.dialled.Write(megabyte), 0U);
}

TEST(Connection, NamesThePeerWhenItIsReset) {
  ConnectedPair pair = Connect();
  const std::string peer = pair.accepted.peer().ToString();
  SendAll(pair.accepted, "unread bytes make the close a reset");
  const std::array<int, 1> arrived = {pair.dialled.fd()};
  WaitReady(arrived, {}, In(kTestPatience));
  { const Connection gone = std::move(pair.dialled); }
  EXPECT_THAT([&] { ReadSome(pair.accepted); }, Fails("reset", peer + " broke"));
}

TEST(Connection, TellsACloseFromAResetAlsoWhereItOnlyWrites) {
  ConnectedPair pair = Connect();
  { const Connection gone = std::move(pair.dialled); }
  const auto write = [&] {
    for (const Deadline patience = In(kTestPatience); Now() < patience;) pair.accepted.Write("x");
  };
  EXPECT_THAT(write, Fails("closed", " broke: Broken pipe"));
}

TEST(Connection, KnowsBothAddresses) {
  const ConnectedPair pair = Connect();
  EXPECT_EQ(pair.dialled.peer().ip, "127.0.0.1");
  EXPECT_EQ(pair.dialled.peer().ToString(), pair.accepted.local().ToString());
  EXPECT_EQ(pair.dialled.local().ToString(), pair.accepted.peer().ToString());
}

TEST(Connection, IsClosedOnExecUntilReleased) {
  ConnectedPair pair = Connect();
  EXPECT_EQ(fcntl(pair.dialled.fd(), F_GETFD), FD_CLOEXEC);
  const Descriptor released = pair.dialled.Release();
  EXPECT_EQ(fcntl(released.get(), F_GETFD), 0);
  EXPECT_EQ(pair.dialled.fd(), -1);
}

TEST(Connection, RefusesWhatIsNotConnected) {
  const Listener listener(Here(), 0);
  EXPECT_THAT([&] { Connection(Descriptor(dup(listener.fds()[0]))); },
              Fails("reset", "the connection is gone"));
}

TEST(Listener, ShowsIpv4PeersPlainly) {
  const Listener listener({}, 0);
  const Connection client = Dial({.host = "127.0.0.1", .port = listener.port()});
  WaitReady(listener.fds(), {}, In(kTestPatience));
  const std::optional<Connection> accepted = listener.Accept(listener.fds()[0]);
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->peer().ToString(), client.local().ToString());
  EXPECT_EQ(accepted->local().ip, "127.0.0.1");
}

TEST(Listener, TakesOnePortOnEveryGivenAddress) {
  const std::array<std::string, 2> two = {"127.0.0.1", "127.0.0.2"};
  const Listener listener(two, 0);
  EXPECT_EQ(listener.fds().size(), 2U);
  for (const std::string& ip : two) {
    EXPECT_EQ(Dial({.host = ip, .port = listener.port()}).peer().ip, ip);
  }
}

TEST(Listener, AcceptsNothingWhenNobodyCalls) {
  const Listener listener(Here(), 0);
  EXPECT_FALSE(listener.Accept(listener.fds()[0]));
}

TEST(Listener, NamesThePortThatIsTakenAndARemedy) {
  const Listener first(Here(), 0);
  try {
    const Listener second(Here(), first.port());
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kEnvironment);
    EXPECT_EQ(error.entry(), "port_taken");
    EXPECT_THAT(error.what(), AllOf(HasSubstr(std::to_string(first.port())), HasSubstr("in use")));
    const std::string command = "ss -ltnp 'sport = :" + std::to_string(first.port()) + "'";
    EXPECT_THAT(error.remedy(), AllOf(HasSubstr(command), HasSubstr("--port")));
  }
}

TEST(Listener, RefusesAnAddressThatIsNotOurs) {
  const std::array<std::string, 1> elsewhere = {"192.0.2.1"};
  EXPECT_THAT([&] { Listener(elsewhere, 0); }, Fails("foreign_address", "192.0.2.1"));
  const std::array<std::string, 1> nowhere = {"nonsense"};
  EXPECT_THAT([&] { Listener(nowhere, 0); }, ThrowsMessage<Error>(HasSubstr("'nonsense'")));
}

TEST(Listener, IsExhaustedWhereNoDescriptorIsLeft) {
  const NoDescriptors guard;
  EXPECT_THAT([] { Listener(Here(), 0); },
              Fails("exhausted", "cannot listen on 127.0.0.1, port 0: Too many open files"));
}

TEST(Dial, IsExhaustedWhereNoDescriptorIsLeft) {
  const Listener listener(Here(), 0);
  const DialOptions options{
      .host = "127.0.0.1", .port = listener.port(), .timeout = milliseconds(10)};
  const NoDescriptors guard;
  EXPECT_THAT([&] { Dial(options); }, Fails("exhausted", "(tried 0.01 s): Too many open files"));
}

TEST(Dial, SaysThatNobodyListensAndWhatToDo) {
  const std::uint16_t port = UnusedPort();
  try {
    Dial({.host = "127.0.0.1", .port = port, .timeout = milliseconds(150)});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kRun);
    EXPECT_EQ(error.entry(), "nobody_listens");
    EXPECT_THAT(error.what(), HasSubstr("nobody listens on 127.0.0.1:" + std::to_string(port) +
                                        " (tried 0.15 s)"));
    EXPECT_THAT(error.remedy(), HasSubstr("rdmabench server"));
  }
}

TEST(Dial, WaitsForAListenerThatComesLater) {
  const std::uint16_t port = UnusedPort();
  auto client = std::async(std::launch::async, [port] {
    return Dial({.host = "127.0.0.1", .port = port, .timeout = kTestPatience}).peer().port;
  });
  const Listener listener(Here(), port);
  EXPECT_EQ(client.get(), port);
}

TEST(Dial, SaysAtOnceThatAHostDoesNotResolve) {
  const auto dial = [] { Dial({.host = "no such host", .timeout = kTestPatience}); };
  EXPECT_THAT(dial, Fails("unresolved", "cannot resolve 'no such host': "));
}

TEST(Dial, ResolvesNames) {
  const Listener listener(Here(), 0);
  EXPECT_EQ(Dial({.host = "localhost", .port = listener.port()}).peer().ip, "127.0.0.1");
}

TEST(Dial, UsesTheSourceAddress) {
  const Listener listener(Here(), 0);
  const Connection from =
      Dial({.host = "127.0.0.1", .port = listener.port(), .source_ip = "127.0.0.3"});
  EXPECT_EQ(from.local().ip, "127.0.0.3");
  EXPECT_THAT(
      [&] { Dial({.host = "127.0.0.1", .port = listener.port(), .source_ip = "192.0.2.1"}); },
      Fails("foreign_address", "cannot connect from 192.0.2.1"));
}

// It would come from another address than it was told to.
TEST(Dial, GoesToNoAddressOfAnotherFamilyThanItsSource) {
  const Listener listener(Here(), 0);
  const auto dial = [&] {
    Dial({.host = "127.0.0.1", .port = listener.port(), .source_ip = "::1"});
  };
  EXPECT_THAT(dial, Fails("no_way", std::to_string(listener.port()) + " from ::1: "));
}

TEST(Dial, EndsAtAnInterrupt) {
  const Interrupt interrupt;
  kill(getpid(), SIGTERM);
  try {
    Dial({.host = "127.0.0.1", .port = UnusedPort(), .interrupt = &interrupt});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kInterrupted);
    EXPECT_EQ(error.entry(), "interrupted");
  }
  EXPECT_TRUE(interrupt.Pending());
}

TEST(WaitReady, IgnoresEntriesOfMinusOneAndKeepsTheOrder) {
  ConnectedPair pair = Connect();
  const std::array<int, 2> readable = {-1, pair.accepted.fd()};
  const std::array<int, 2> writable = {pair.dialled.fd(), -1};
  EXPECT_EQ(WaitReady(readable, writable, In(kTestPatience)),
            (std::vector<bool>{false, false, true, false}));
  EXPECT_EQ(WaitReady(readable, {}, Now()), (std::vector<bool>{false, false}));
}

}  // namespace
}  // namespace rdmabench
