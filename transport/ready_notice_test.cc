#include "transport/ready_notice.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "transport/deadline.h"
#include "transport/descriptor.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// In place of a service manager: a datagram socket with this address.
class Manager {
 public:
  explicit Manager(const std::string& address)
      : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, address.data(), address.size());
    if (address[0] == '@') name.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size() +
                                               (address[0] == '@' ? 0 : 1));
    CheckErrno(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&name), length),
               "cannot bind " + address);
  }
  // What has been told and not been read; empty: nothing.
  std::string Next() {
    std::array<char, 4096> text = {};
    const ssize_t count = recv(socket_.get(), text.data(), text.size(), 0);
    return count < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(count));
  }

 private:
  Descriptor socket_;
};

// Short enough for a socket's address, as the test's own folder need not be.
std::string PathFor(const std::string& name) {
  return "/tmp/rdmabench-" + name + "-" + std::to_string(getpid());
}

TEST(ReadyNotice, TellsWhatHappensInOrder) {
  const std::string path = PathFor("notify");
  Manager manager(path);
  ReadyNotice notice(path);
  notice.Ready();
  notice.Crowd(0, 0);
  notice.Crowd(2, 1);
  notice.Stopping();
  EXPECT_EQ(manager.Next(), "READY=1");
  EXPECT_EQ(manager.Next(), "STATUS=idle");
  EXPECT_EQ(manager.Next(), "STATUS=2 sessions, 1 queued");
  EXPECT_EQ(manager.Next(), "STOPPING=1\nSTATUS=shutting down");
  unlink(path.c_str());
}

TEST(ReadyNotice, KnowsAbstractAddresses) {
  const std::string address = "@rdmabench-test-" + std::to_string(getpid());
  Manager manager(address);
  ReadyNotice(address).Ready();
  EXPECT_EQ(manager.Next(), "READY=1");
}

TEST(ReadyNotice, TellsWhenItReloadsOnTheManagersClock) {
  const std::string address = "@rdmabench-reload-" + std::to_string(getpid());
  Manager manager(address);
  const auto before = Now().time_since_epoch();
  ReadyNotice(address).Reloading();
  const auto after = Now().time_since_epoch();
  const std::string text = manager.Next();
  const std::string head = "RELOADING=1\nMONOTONIC_USEC=";
  ASSERT_TRUE(text.starts_with(head)) << text;
  const std::chrono::microseconds told(std::stoll(text.substr(head.size())));
  EXPECT_GE(told, std::chrono::duration_cast<std::chrono::microseconds>(before));
  EXPECT_LE(told, after);
}

TEST(ReadyNotice, TakesTheAddressOutOfTheEnvironment) {
  const std::string address = "@rdmabench-environment-" + std::to_string(getpid());
  Manager manager(address);
  setenv("NOTIFY_SOCKET", address.c_str(), 1);
  ReadyNotice notice = ReadyNotice::FromEnvironment();
  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);
  notice.Ready();
  EXPECT_EQ(manager.Next(), "READY=1");
}

TEST(ReadyNotice, TellsNobodyWithoutAManager) {
  unsetenv("NOTIFY_SOCKET");
  ReadyNotice notice = ReadyNotice::FromEnvironment();
  notice.Ready();
  notice.Stopping();
}

TEST(ReadyNotice, SaysThatNobodyListens) {
  EXPECT_THAT([] { ReadyNotice(PathFor("nobody")).Ready(); },
              ThrowsMessage<Error>(HasSubstr(": No such file or directory")));
}

TEST(ReadyNotice, RefusesWhatIsNoAddress) {
  for (const std::string& address : {std::string("notify"), std::string("vsock:2:5"),
                                     "/" + std::string(200, 'x'), std::string("@")}) {
    EXPECT_THAT([&] { ReadyNotice(address).Ready(); },
                ThrowsMessage<Error>(HasSubstr("is no address of a Unix socket")))
        << address;
  }
}

TEST(ReadyNotice, DoesNotWaitForAManagerThatDoesNotRead) {
  const std::string address = "@rdmabench-full-" + std::to_string(getpid());
  Manager manager(address);
  ReadyNotice notice(address);
  const auto fill = [&] {
    for (int i = 0; i < 100'000; ++i) notice.Ready();
  };
  EXPECT_THAT(fill, ThrowsMessage<Error>(HasSubstr("takes nothing")));
}

}  // namespace
}  // namespace rdmabench
