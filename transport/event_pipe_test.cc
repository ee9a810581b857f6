#include "transport/event_pipe.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Event Begins(std::string text) {
  return {.kind = EventKind::kTestStarted, .peer = "", .text = std::move(text)};
}

class EventPipeTest : public testing::Test {
 protected:
  EventPipeTest() { signal(SIGPIPE, SIG_IGN); }

  void SendRaw(const std::string& bytes) {
    ASSERT_EQ(write(raw_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  EventPipe pipe_;
  const int raw_ = pipe_.writer.get();
  EventReader reader_{std::move(pipe_.reader)};
};

TEST_F(EventPipeTest, BringsEventsInOrder) {
  EventWriter writer(std::move(pipe_.writer));
  writer.Write(Begins("one"));
  writer.Write(Begins("two"));
  const std::vector<Event> events = reader_.Read();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].text, "one");
  EXPECT_EQ(events[1].text, "two");
  EXPECT_TRUE(reader_.Read().empty());
}

TEST_F(EventPipeTest, WaitsForTheRestOfALine) {
  SendRaw(R"({"event":"test_)");
  EXPECT_TRUE(reader_.Read().empty());
  SendRaw("started\",\"text\":\"one\"}\n");
  EXPECT_EQ(reader_.Read().at(0).text, "one");
}

TEST_F(EventPipeTest, EndsWithItsWriter) {
  {
    EventWriter writer(std::move(pipe_.writer));
    writer.Write(Begins("last"));
  }
  EXPECT_EQ(reader_.Read().size(), 1u);
  EXPECT_EQ(reader_.fd(), -1);
  EXPECT_TRUE(reader_.Read().empty());
}

TEST_F(EventPipeTest, IsNotReadAfterWhatIsNoEvent) {
  SendRaw("GET / HTTP/1.1\n");
  EXPECT_THROW(reader_.Read(), Error);
  EXPECT_EQ(reader_.fd(), -1);
}

TEST_F(EventPipeTest, IsNotReadAfterALineWithoutEnd) {
  const std::string piece(16'384, 'x');
  EXPECT_THAT(
      [&] {
        for (int i = 0; i < 5; ++i) {
          SendRaw(piece);
          reader_.Read();
        }
      },
      ThrowsMessage<Error>(HasSubstr("a line without end")));
}

TEST_F(EventPipeTest, TakesABoundedPartInOneTurn) {
  ASSERT_GT(fcntl(raw_, F_SETPIPE_SZ, 1 << 20), 0);
  const std::string line = R"({"event":"test_started","text":"one"})"
                           "\n";
  std::size_t sent = 0;
  while (write(raw_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) ++sent;
  const std::size_t first = reader_.Read().size();
  EXPECT_LE(first * line.size(), 65'536u);
  std::size_t read = first;
  for (int i = 0; i < 100 && read < sent; ++i) read += reader_.Read().size();
  EXPECT_EQ(read, sent);
}

TEST_F(EventPipeTest, HoldsNobodyUpWhenItIsNotRead) {
  EventWriter writer(std::move(pipe_.writer));
  // More than it takes: the call that finds it full gives up after a second, those after at once.
  for (int i = 0; i < 10'000; ++i) writer.Write(Begins(std::string(100, 'x')));
  EXPECT_FALSE(reader_.Read().empty());
}

TEST_F(EventPipeTest, HoldsNobodyUpWhenItsReaderIsGone) {
  EventWriter writer(std::move(pipe_.writer));
  reader_ = EventReader(Descriptor());
  writer.Write(Begins("into the void"));
  writer.Write(Begins("again"));
}

TEST_F(EventPipeTest, IsClosedOnExec) {
  EXPECT_TRUE(fcntl(raw_, F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(fcntl(reader_.fd(), F_GETFD) & FD_CLOEXEC);
  fcntl(raw_, F_SETFD, 0);  // as it comes over an exec
  const EventWriter writer(std::move(pipe_.writer));
  EXPECT_TRUE(fcntl(raw_, F_GETFD) & FD_CLOEXEC);
}

}  // namespace
}  // namespace rdmabench
