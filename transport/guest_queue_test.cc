#include "transport/guest_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/descriptor.h"
#include "transport/error.h"
#include "transport/event.h"
#include "transport/frame.h"
#include "transport/loopback.h"
#include "transport/peer_error.h"
#include "transport/socket.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Json = nlohmann::json;

constexpr milliseconds kNever{60'000};
constexpr milliseconds kAtOnce{0};

// Guests have names such as "b2": the second from the address that is called b.
class GuestQueueTest : public testing::Test {
 protected:
  GuestQueueTest() {
    options_.peer_timeout = kNever;
    options_.heartbeat = 2 * kNever;
  }

  static std::string AddressOf(char letter) {
    return "127.0.0." + std::to_string(letter - 'a' + 1);
  }

  Guest Call(const std::string& name) {
    Connection client =
        Dial({.host = here_, .port = listener_.port(), .source_ip = AddressOf(name.front())});
    WaitReady(listener_.fds(), {}, In(kTestPatience));
    Guest guest(listener_.Accept(listener_.fds()[0]).value());
    guest.handshake().request = name;
    clients_.emplace(name, std::move(client));
    return guest;
  }
  std::size_t Join(const std::string& name, const CountByAddress& served = {}) {
    return queue_.Join(Call(name), served);
  }
  void JoinAll(const std::vector<std::string>& names) {
    for (const std::string& name : names) Join(name);
  }
  std::vector<std::string> Order() const {
    std::vector<std::string> names;
    for (const Guest& guest : queue_.guests()) names.push_back(guest.request());
    return names;
  }
  std::string NextName() {
    const std::optional<Guest> next = queue_.Next();
    return next ? next->request() : "nobody";
  }

  // What one client sends or does has come to the queue, and is heard.
  void Hear(const std::string& name) {
    const std::array<int, 1> fd = {FdOf(name)};
    ASSERT_TRUE(WaitReady(fd, {}, In(kTestPatience))[0]);
    queue_.Hear({fd[0]});
  }
  void HearSaid(const std::string& name, std::string_view kind, const Json& body = Json::object()) {
    SendAll(clients_.at(name), EncodeFrame(kind, body));
    Hear(name);
  }
  int FdOf(const std::string& name) const {
    for (const Guest& guest : queue_.guests()) {
      if (guest.request() == name) return guest.fd();
    }
    return -1;
  }
  bool IsToldSomething(const std::string& name) const {
    const std::array<int, 1> fd = {clients_.at(name).fd()};
    return WaitReady(fd, {}, Now())[0];
  }
  // The place that the client is told next.
  int Place(const std::string& name) {
    const auto [kind, body] = ReadFrame(clients_.at(name)).value();
    return kind == "queued" ? body["place"].get<int>() : -1;
  }
  std::string ErrorText(const std::string& name) {
    const auto [kind, body] = ReadFrame(clients_.at(name)).value();
    return kind == "error" ? body["message"].get<std::string>() : kind;
  }

  LobbyOptions options_;
  std::vector<std::string> told_;
  EventLimiter log_{[this](const Event& event) { told_.push_back(event.text); }};
  const std::string here_ = "127.0.0.1";
  const Listener listener_{{&here_, 1}, 0};
  std::map<std::string, Connection> clients_;
  GuestQueue queue_{options_, log_};
};

TEST_F(GuestQueueTest, ServesTheGuestsOfAnAddressAsTheyCome) {
  EXPECT_EQ(Join("a1"), 1U);
  EXPECT_EQ(Join("a2"), 2U);
  EXPECT_EQ(Join("a3"), 3U);
  EXPECT_EQ(queue_.size(), 3U);
  for (const std::string_view name : {"a1", "a2", "a3", "nobody"}) EXPECT_EQ(NextName(), name);
}

TEST_F(GuestQueueTest, LetsAddressesTakeTurns) {
  JoinAll({"a1", "a2", "a3"});
  EXPECT_EQ(Join("b1"), 2U) << "behind one of a";
  EXPECT_EQ(Join("b2"), 4U) << "behind two of a";
  EXPECT_EQ(Join("c1"), 3U);
  EXPECT_THAT(Order(), ElementsAre("a1", "b1", "c1", "a2", "b2", "a3"));
  EXPECT_EQ(Join("a4"), 7U);
  EXPECT_EQ(queue_.CountOf(AddressOf('a')), 4U);
  EXPECT_EQ(queue_.CountOf(AddressOf('c')), 1U);
  EXPECT_EQ(queue_.CountOf(AddressOf('d')), 0U);
}

TEST_F(GuestQueueTest, CountsWhatOtherAddressesAreServedAlready) {
  EXPECT_EQ(Join("a1", {{AddressOf('a'), 1}}), 1U);
  EXPECT_EQ(Join("b1", {{AddressOf('a'), 1}}), 1U) << "a has had its turn";
  EXPECT_THAT(Order(), ElementsAre("b1", "a1"));
}

TEST_F(GuestQueueTest, CountsWhatItsOwnAddressIsServedAlready) {
  JoinAll({"a1", "a2", "a3"});
  EXPECT_EQ(Join("b1", {{AddressOf('b'), 1}}), 3U) << "as if it was b's second";
}

TEST_F(GuestQueueTest, PassesByWhoHasStoppedInTheMiddleOfAFrame) {
  JoinAll({"a1", "a2"});
  const std::string beat = EncodeFrame("heartbeat", Json::object());
  SendAll(clients_.at("a1"), beat.substr(0, 5));
  Hear("a1");
  EXPECT_EQ(NextName(), "a2");
  EXPECT_EQ(NextName(), "nobody");
  SendAll(clients_.at("a1"), beat.substr(5));
  Hear("a1");
  EXPECT_EQ(NextName(), "a1") << "it has kept its place";
}

TEST_F(GuestQueueTest, PassesByWhoDoesNotReadWhatItIsTold) {
  Guest deaf = Call("a1");
  const std::string text(std::size_t{1} << 20, 'x');
  std::size_t sent = 0;
  for (; !deaf.has_unsent(); sent += EncodeFrame("queued", text).size()) deaf.Send("queued", text);
  queue_.Join(std::move(deaf), {});
  Join("a2");
  std::vector<int> readable;
  std::vector<int> writable;
  queue_.AddFds(readable, writable);
  EXPECT_THAT(readable, ElementsAre(FdOf("a1"), FdOf("a2")));
  EXPECT_THAT(writable, ElementsAre(FdOf("a1")));
  queue_.TellPlaces();
  EXPECT_EQ(Place("a2"), 2);
  EXPECT_EQ(NextName(), "a2");

  Connection& client = clients_.at("a1");
  std::vector<char> buffer(text.size());
  std::size_t read = 0;
  std::string name = "nobody";
  for (const Deadline patience = In(kTestPatience); !client.closed() && Now() < patience;) {
    read += client.Read(buffer);
    queue_.Hear({});  // sends what it can
    if (name == "nobody") name = NextName();
  }
  EXPECT_EQ(name, "a1");
  EXPECT_EQ(read, sent) << "it was told more behind what it did not read";
}

TEST_F(GuestQueueTest, TellsPlacesWhenSomebodyHasComeAndFromTimeToTime) {
  JoinAll({"a1", "a2"});
  queue_.TellPlaces();
  EXPECT_EQ(Place("a1"), 1);
  EXPECT_EQ(Place("a2"), 2);
  queue_.TellPlaces();
  EXPECT_FALSE(IsToldSomething("a1")) << "again, before it is time";
  options_.heartbeat = kAtOnce;
  Join("b1");
  queue_.TellPlaces();
  EXPECT_EQ(Place("a2"), 3);
  EXPECT_EQ(Place("b1"), 2);
  queue_.TellPlaces();
  EXPECT_EQ(Place("b1"), 2) << "the time is over";
}

TEST_F(GuestQueueTest, TellsTheNextPlaceToThoseBehindOneThatIsGone) {
  JoinAll({"a1", "a2"});
  queue_.TellPlaces();
  EXPECT_EQ(Place("a2"), 2);
  const std::array<int, 1> fd = {FdOf("a1")};
  clients_.erase("a1");  // with a frame that it has not read: the connection is reset
  ASSERT_TRUE(WaitReady(fd, {}, In(kTestPatience))[0]);
  Join("a3");
  queue_.TellPlaces();
  EXPECT_EQ(Place("a2"), 1);
  EXPECT_EQ(Place("a3"), 2);
  EXPECT_THAT(told_, ElementsAre(HasSubstr("dismissed: ")));
}

TEST_F(GuestQueueTest, IsDueWhenTheNextPlacesAreOrTheFirstGuestIsSilentForTooLong) {
  EXPECT_EQ(queue_.NextDuty(), Deadline::max());
  JoinAll({"a1", "a2"});
  EXPECT_LE(queue_.NextDuty(), Now()) << "to tell the places";
  queue_.TellPlaces();
  EXPECT_EQ(queue_.NextDuty(), queue_.guests()[0].heard_at() + kNever);
  HearSaid("a1", "heartbeat");
  EXPECT_EQ(queue_.NextDuty(), queue_.guests()[1].heard_at() + kNever);
}

TEST_F(GuestQueueTest, DoesNotChargeTheServersLatenessToTheGuests) {
  JoinAll({"a1", "a2"});
  queue_.TellPlaces();
  const Deadline due = queue_.NextDuty();
  queue_.Forgive(milliseconds(700));
  EXPECT_EQ(queue_.NextDuty(), due + milliseconds(700));
}

TEST_F(GuestQueueTest, KeepsWhoSendsHeartbeats) {
  Join("a1");
  HearSaid("a1", "heartbeat");
  EXPECT_THAT(Order(), ElementsAre("a1"));
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(GuestQueueTest, SendsAwayWhoIsSilent) {
  JoinAll({"a1", "a2"});
  options_.peer_timeout = kAtOnce;
  queue_.Hear({});
  EXPECT_EQ(queue_.size(), 0U);
  EXPECT_EQ(ErrorText("a1"), "it has been silent for 0 s");
  EXPECT_EQ(ErrorText("a2"), "it has been silent for 0 s");
  EXPECT_THAT(told_, SizeIs(2));
}

TEST_F(GuestQueueTest, SendsAwayWhoSendsWhatIsNotItsTurn) {
  JoinAll({"a1", "a2"});
  HearSaid("a1", "plan");
  EXPECT_EQ(ErrorText("a1"), "it sent 'plan' while it was queued");
  EXPECT_THAT(Order(), ElementsAre("a2"));
  EXPECT_THAT(told_, ElementsAre("dismissed: it sent 'plan' while it was queued"));
}

TEST_F(GuestQueueTest, SaysWhyAGuestHasLeft) {
  JoinAll({"a1", "a2"});
  HearSaid("a1", "error", ErrorToJson(Error(Blame::kInterrupted, "interrupted")));
  clients_.at("a2").FinishWriting();
  Hear("a2");
  EXPECT_EQ(queue_.size(), 0U);
  EXPECT_THAT(told_, ElementsAre("dismissed: peer: interrupted",
                                 "dismissed: it closed the connection while it was queued"));
}

TEST_F(GuestQueueTest, TellsAllWhyItCloses) {
  JoinAll({"a1", "b1"});
  queue_.Close(Error(Blame::kRun, "the server is shutting down"));
  EXPECT_EQ(queue_.size(), 0U);
  for (const char* name : {"a1", "b1"}) {
    EXPECT_EQ(ErrorText(name), "the server is shutting down");
    EXPECT_FALSE(ReadFrame(clients_.at(name))) << "the connection is closed";
  }
  EXPECT_THAT(told_, SizeIs(2));
}

}  // namespace
}  // namespace rdmabench
