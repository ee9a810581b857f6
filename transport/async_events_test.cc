#include "transport/async_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "transport/deadline.h"
#include "transport/descriptor.h"
#include "transport/device.h"
#include "transport/fake_verbs.h"
#include "transport/fake_verbs_events.h"

namespace rdmabench {
namespace {

class AsyncEventsTest : public testing::Test {
 protected:
  bool IsReadable() const {
    const std::array<int, 1> fd = {events_.fd()};
    return WaitReady(fd, {}, Now())[0];
  }

  struct World {
    World() { fake::Reset(); }
  } world_;
  Device device_ = Device::Open("fake0");
  AsyncEvents events_{device_.context()};
};

TEST_F(AsyncEventsTest, AreNoneInASoundWorldAndThatTakesNoTime) {
  EXPECT_FALSE(IsReadable());
  EXPECT_FALSE(events_.Next());
}

TEST_F(AsyncEventsTest, TellWhatBefallsAPort) {
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_PORT_ERR);
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_GID_CHANGE);
  EXPECT_TRUE(IsReadable());
  const std::optional<AsyncEvent> first = events_.Next();
  ASSERT_TRUE(first);
  EXPECT_EQ(EventText(*first), "IBV_EVENT_PORT_ERR of port 1");
  const std::optional<AsyncEvent> second = events_.Next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->type, IBV_EVENT_GID_CHANGE);
  EXPECT_FALSE(events_.Next());
}

TEST_F(AsyncEventsTest, AreOfThisDeviceAlone) {
  fake::RaiseDeviceEvent("fake1", IBV_EVENT_PORT_ERR);
  EXPECT_FALSE(events_.Next());
}

TEST_F(AsyncEventsTest, NameAQueuePairByItsNumber) {
  EXPECT_EQ(EventText({.type = IBV_EVENT_QP_ACCESS_ERR, .qpn = 0x11}),
            "IBV_EVENT_QP_ACCESS_ERR of queue pair 0x11");
  EXPECT_EQ(EventText({.type = IBV_EVENT_DEVICE_FATAL}), "IBV_EVENT_DEVICE_FATAL");
}

}  // namespace
}  // namespace rdmabench
