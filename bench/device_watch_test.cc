#include "bench/device_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/local.h"
#include "bench/rails.h"
#include "bench/site.h"
#include "transport/async_events.h"
#include "transport/catalogue.h"
#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"
#include "transport/fake_verbs_events.h"
#include "transport/handle.h"
#include "transport/loopback.h"
#include "transport/session.h"
#include "transport/socket.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::chrono::seconds kNever{60};

class DeviceWatchTest : public testing::Test {
 protected:
  ~DeviceWatchTest() override { peer_.reset(); }  // first: the session waits for it

  // Opens the first devices of the world, to be watched.
  const Site& Open(std::size_t count = 1) {
    Local local;
    for (std::size_t i = 0; i < count; ++i) local.devices.push_back("fake" + std::to_string(i));
    return site_.emplace(local, OpenRails(local, ""), 1);
  }
  DeviceWatch& Watch(DeviceWatch::Warn warn = {}) {
    if (!site_) Open();
    return watch_.emplace(*site_, session_, "client", std::move(warn));
  }
  // Waits until the session has failed.
  Error Failure() {
    EXPECT_THROW(session_.Receive("results", In(kTestPatience), "its results"), Error);
    return session_.failure().value_or(Error(Blame::kRun, "none"));
  }

  struct World {
    World() {
      std::vector<fake::FakeDevice> devices(5);
      for (std::size_t i = 0; i < devices.size(); ++i) {
        devices[i].name = "fake" + std::to_string(i);
        devices[i].gids = {{"::ffff:10.0.0." + std::to_string(i + 1)}};
      }
      fake::Reset(devices);
    }
    ~World() { EXPECT_EQ(fake::LiveObjects(), 0U); }
  } world_;
  ConnectedPair pair_ = Connect();
  std::optional<Connection> peer_{std::move(pair_.accepted)};
  Session session_{std::move(pair_.dialled), {.peer_timeout = kNever, .handshake_timeout = kNever}};
  std::optional<Site> site_;
  std::optional<DeviceWatch> watch_;
};

TEST_F(DeviceWatchTest, HasNothingToTellOfSoundDevices) {
  Watch();
  EXPECT_THAT(watch_->TakeWarnings(), IsEmpty());
  EXPECT_EQ(watch_->Remark(), "");
  EXPECT_FALSE(session_.failure());
}

TEST_F(DeviceWatchTest, WarnsByItselfOfWhatMayPass) {
  std::promise<std::string> warned;
  Watch([&warned](std::string_view warning) { warned.set_value(std::string(warning)); });
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_GID_CHANGE);
  std::future<std::string> warning = warned.get_future();
  ASSERT_EQ(warning.wait_for(kTestPatience), std::future_status::ready);
  const CatalogueRow& row = *RowOfEvent(IBV_EVENT_GID_CHANGE);
  EXPECT_EQ(warning.get(), "client: fake0 raised IBV_EVENT_GID_CHANGE of port 1: " +
                               std::string(row.meaning) + "; " + AdviceOf(row));
  EXPECT_FALSE(session_.failure());
}

TEST_F(DeviceWatchTest, TellsEachWarningOnce) {
  std::vector<std::string> told;
  DeviceWatch& watch = Watch([&told](std::string_view text) { told.emplace_back(text); });
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_GID_CHANGE);
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_GID_CHANGE);
  EXPECT_THAT(watch.TakeWarnings(), ElementsAre(HasSubstr("IBV_EVENT_GID_CHANGE")));
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_GID_CHANGE);
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_SM_CHANGE);
  EXPECT_THAT(watch.TakeWarnings(), ElementsAre(HasSubstr("IBV_EVENT_SM_CHANGE")));
  watch_.reset();
  EXPECT_THAT(told, SizeIs(2));
}

TEST_F(DeviceWatchTest, HasNoMoreThan32Warnings) {
  Open(5);
  DeviceWatch& watch = Watch();
  for (const char* device : {"fake0", "fake1", "fake2", "fake3", "fake4"}) {
    for (const ibv_event_type type :
         {IBV_EVENT_PORT_ERR, IBV_EVENT_PORT_ACTIVE, IBV_EVENT_LID_CHANGE, IBV_EVENT_PKEY_CHANGE,
          IBV_EVENT_SM_CHANGE, IBV_EVENT_CLIENT_REREGISTER, IBV_EVENT_GID_CHANGE}) {
      fake::RaiseDeviceEvent(device, type);
    }
  }
  EXPECT_THAT(watch.TakeWarnings(), SizeIs(32));
}

TEST_F(DeviceWatchTest, EndsTheSessionByItselfWhereADeviceFails) {
  Watch();
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_DEVICE_FATAL);
  const Error failure = Failure();
  EXPECT_EQ(failure.entry(), "IBV_EVENT_DEVICE_FATAL");
  EXPECT_THAT(failure.what(), StartsWith("fake0 raised IBV_EVENT_DEVICE_FATAL: "));
  EXPECT_THAT(watch_->TakeWarnings(), IsEmpty());
}

TEST_F(DeviceWatchTest, WatchesEveryDevice) {
  Open(2);
  Watch();
  fake::RaiseDeviceEvent("fake1", IBV_EVENT_DEVICE_FATAL);
  EXPECT_THAT(Failure().what(), StartsWith("fake1 raised "));
}

TEST_F(DeviceWatchTest, OverlooksPortsThatAreNotUsed) {
  Open();
  site_->rails[0].port.number = 2;
  DeviceWatch& watch = Watch();
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_GID_CHANGE);
  EXPECT_THAT(watch.TakeWarnings(), IsEmpty());
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_DEVICE_FATAL);
  EXPECT_EQ(Failure().entry(), "IBV_EVENT_DEVICE_FATAL") << "the device is that of all its ports";
}

TEST_F(DeviceWatchTest, OverlooksWhatHappensInSoundRuns) {
  ibv_context* context = Open().rails[0].device.context();
  const Pd pd(ibv_alloc_pd(context));
  const Cq cq(ibv_create_cq(context, 1, nullptr, nullptr, 0));
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = cq.get();
  init.cap = {1, 1, 1, 1, 0};
  init.qp_type = IBV_QPT_RC;
  const Qp qp(ibv_create_qp(pd.get(), &init));
  DeviceWatch& watch = Watch();
  fake::RaiseQueuePairEvent(qp->qp_num, IBV_EVENT_COMM_EST);
  EXPECT_THAT(watch.TakeWarnings(), IsEmpty());
  EXPECT_FALSE(session_.failure());
  fake::RaiseQueuePairEvent(qp->qp_num, IBV_EVENT_PATH_MIG);
  EXPECT_THAT(watch.TakeWarnings(), ElementsAre(HasSubstr("IBV_EVENT_PATH_MIG of queue pair")));
}

TEST_F(DeviceWatchTest, RemarksSinceWhenAPortIsDown) {
  DeviceWatch& watch = Watch();
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_PORT_ERR);
  EXPECT_THAT(watch.Remark(), AllOf(StartsWith("port 1 of fake0 is down, for "), EndsWith(" s")));
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_PORT_ACTIVE);
  EXPECT_THAT(watch.Remark(),
              AllOf(StartsWith("port 1 of fake0 was down until "), EndsWith(" s ago")));
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_PORT_ERR);
  EXPECT_THAT(watch.Remark(), StartsWith("port 1 of fake0 is down, for ")) << "another time";
}

TEST_F(DeviceWatchTest, RemarksThatAPortIsDownAlsoWhereNobodySawItGo) {
  const Site& site = Open();
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_PORT_ERR);
  EXPECT_TRUE(AsyncEvents(site.rails[0].device.context()).Next());
  EXPECT_EQ(Watch().Remark(), "port 1 of fake0 is down");
}

TEST_F(DeviceWatchTest, RemarksWhatBefellEachDevice) {
  Open(3);
  DeviceWatch& watch = Watch();
  fake::RaiseDeviceEvent("fake0", IBV_EVENT_PORT_ERR);
  fake::RaiseDeviceEvent("fake2", IBV_EVENT_DEVICE_FATAL);
  EXPECT_THAT(watch.Remark(),
              AllOf(StartsWith("port 1 of fake0 is down, for "), EndsWith(" s; fake2 has failed")));
}

TEST_F(DeviceWatchTest, ExplainsErrorsThatHaveToDoWithTheFabric) {
  Open(2);
  DeviceWatch& watch = Watch();
  fake::RaiseDeviceEvent("fake1", IBV_EVENT_PORT_ERR);
  EXPECT_THAT(watch.Explain(SessionError("silent", "nothing came")).remedy(),
              StartsWith("port 1 of fake1 is down, for "));
  EXPECT_EQ(watch.Explain(Error(Blame::kUsage, "no such test", "name another")).remedy(),
            "name another");
}

}  // namespace
}  // namespace rdmabench
