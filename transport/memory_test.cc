#include "transport/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "transport/device.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"
#include "transport/handle.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class EachMemoryKind : public ::testing::TestWithParam<const MemoryKind*> {
 protected:
  EachMemoryKind() {
    if (kind().argument == Argument::kRequired) {
      std::ofstream(file_, std::ios::binary) << std::string(kFileBytes, 'x');
    }
  }
  ~EachMemoryKind() override { std::filesystem::remove(file_); }

  static const MemoryKind& kind() { return *GetParam(); }
  // What hides here what there is to test.
  std::optional<std::string> why_not() const { return kind().why_not(device_.context()); }
  Buffer Allocate(std::size_t bytes, std::optional<unsigned> node = {}) const {
    return kind().allocate(
        pd_.get(), {.bytes = bytes,
                    .numa_node = node,
                    .argument = kind().argument == Argument::kRequired ? file_ : std::string()});
  }

  static constexpr std::size_t kFileBytes = std::size_t{1} << 16;

 private:
  static Device Open() {
    fake::Reset();
    return Device::Open("fake0");
  }
  std::string file_ = ::testing::TempDir() + "memory_of_" + std::string(kind().name);
  Device device_ = Open();
  Pd pd_{ibv_alloc_pd(device_.context())};
};
INSTANTIATE_TEST_SUITE_P(Rows, EachMemoryKind,
                         ::testing::ValuesIn(MemoryKinds().begin(), MemoryKinds().end()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST_P(EachMemoryKind, IsFoundByItsName) { EXPECT_EQ(&FindMemoryKind(kind().name), &kind()); }

TEST_P(EachMemoryKind, SaysWhatItIsInALine) {
  EXPECT_FALSE(kind().summary.empty());
  EXPECT_EQ(kind().summary.find('\n'), std::string_view::npos);
}

// Where there is none, the error says so, too.
TEST_P(EachMemoryKind, IsThereOrSaysWhyNot) {
  if (!why_not()) {
    EXPECT_NO_THROW(Allocate(4096));
  } else {
    EXPECT_FALSE(why_not()->empty());
    EXPECT_THROW(Allocate(4096), Error);
  }
}

// What every machine has.
class OrdinaryMemory : public EachMemoryKind {};
INSTANTIATE_TEST_SUITE_P(Rows, OrdinaryMemory,
                         ::testing::Values(&FindMemoryKind("host"), &FindMemoryKind("mmap")),
                         [](const auto& test) { return std::string(test.param->name); });

TEST_P(OrdinaryMemory, StartsAtAPageAndHasTheSizeAskedFor) {
  const Buffer buffer = Allocate(4097);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % page, 0U);
  EXPECT_EQ(buffer.size(), 4097U);
}

TEST_P(OrdinaryMemory, FillsEveryByte) {
  const Buffer buffer = Allocate(10000);
  kind().fill(buffer, std::byte{0x5a});
  EXPECT_EQ(std::count(buffer.data(), buffer.data() + buffer.size(), std::byte{0x5a}), 10000);
}

TEST_P(OrdinaryMemory, RefusesANodeThatIsNotThere) {
  EXPECT_THAT([this] { Allocate(4096, 1000); },
              ThrowsMessage<Error>(HasSubstr("cannot bind memory to NUMA node 1000")));
}

TEST(Memory, TellsOfEveryKindWhatItIsAndWhetherItIsThere) {
  fake::Reset();
  const Device device = Device::Open("fake0");
  const std::vector<KindAvailability> kinds = ProbeMemoryKinds(device.context());
  ASSERT_EQ(kinds.size(), MemoryKinds().size());
  for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(kinds[i].name, MemoryKinds()[i]->name);
  const auto of = [&](std::string_view name) {
    return std::find_if(kinds.begin(), kinds.end(),
                        [&](const KindAvailability& kind) { return kind.name == name; });
  };
  EXPECT_EQ(of("host")->why_not, std::nullopt);
  EXPECT_EQ(of("dm")->why_not, "the device has no memory of its own to give (max_dm_size is 0)");
  EXPECT_EQ(of("odp")->why_not, "the device does not page on demand");
}

TEST(Memory, IsNotThereWhereTheDeviceCannotBeAsked) {
  fake::Reset();
  const Device device = Device::Open("fake0");
  fake::Inject({.failing_call = "ibv_query_device", .failing_errno = EIO});
  const std::vector<KindAvailability> kinds = ProbeMemoryKinds(device.context());
  ASSERT_EQ(kinds.size(), MemoryKinds().size());
  for (const KindAvailability& kind : kinds) {
    if (kind.name != "odp" && kind.name != "dm") continue;
    EXPECT_THAT(kind.why_not.value_or(""), HasSubstr("cannot ask what the device can do"))
        << kind.name;
  }
}

TEST(Memory, NamesTheKnownKindsWhenAskedForAnother) {
  EXPECT_THAT([] { FindMemoryKind("hosts"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("known: host"), HasSubstr("did you mean"))));
}

TEST(Buffer, IsGivenBackOnceAlthoughMoved) {
  int released = 0;
  std::byte byte{};
  {
    Buffer first(&byte, 1, [&released] { ++released; });
    const Buffer second(std::move(first));
    EXPECT_EQ(second.data(), &byte);
  }
  EXPECT_EQ(released, 1);
}

class MemoryRegionTest : public ::testing::Test {
 protected:
  ~MemoryRegionTest() override {
    pd_.reset();
    device_.reset();
    EXPECT_EQ(fake::LiveObjects(), 0U);
  }
  MemoryRegion Region(int access) const {
    return {pd(), FindMemoryKind("host"), {.bytes = 8192, .numa_node = {}}, access};
  }
  ibv_pd* pd() const { return pd_.get(); }

 private:
  static Device Open() {
    fake::Reset();
    return Device::Open("fake0");
  }
  std::optional<Device> device_ = Open();
  Pd pd_{ibv_alloc_pd(device_->context())};
};

TEST_F(MemoryRegionTest, AlwaysAllowsLocalWrites) {
  EXPECT_EQ(fake::AccessOf(Region(IBV_ACCESS_REMOTE_READ).rkey()),
            IBV_ACCESS_REMOTE_READ | IBV_ACCESS_LOCAL_WRITE);
}

TEST_F(MemoryRegionTest, PassesRelaxedOrderingOn) {
  EXPECT_NE(fake::AccessOf(Region(IBV_ACCESS_RELAXED_ORDERING).rkey()) &
                static_cast<int>(IBV_ACCESS_RELAXED_ORDERING),
            0);
}

TEST_F(MemoryRegionTest, TellsThePeerTheRegistrationsAddress) {
  const MemoryRegion region = Region(0);
  EXPECT_EQ(region.addr(), reinterpret_cast<std::uintptr_t>(region.data()));
}

TEST_F(MemoryRegionTest, StartsWithZeros) {
  const MemoryRegion region = Region(0);
  EXPECT_EQ(std::count(region.data(), region.data() + region.size(), std::byte{0}), 8192);
}

TEST_F(MemoryRegionTest, SaysHowItWasRegisteredAndInWhatPages) {
  const MemoryRegion region = Region(0);
  EXPECT_EQ(region.how(), "by its virtual address");
  EXPECT_EQ(region.page_bytes(), static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

TEST_F(MemoryRegionTest, DealsItsKeysToQueuePairs) {
  const MemoryRegion region(pd(), FindMemoryKind("host"), {.bytes = 8192, .numa_node = {}}, 0, 3);
  EXPECT_NE(region.rkey(0), region.rkey(1));
  EXPECT_NE(region.lkey(1), region.lkey(2));
  EXPECT_EQ(region.rkey(3), region.rkey(0));
  const MemoryRegion of_one_key = Region(0);
  EXPECT_EQ(of_one_key.rkey(5), of_one_key.rkey(0));
}

TEST_F(MemoryRegionTest, SaysHowMuchCouldNotBeRegistered) {
  fake::Inject({.failing_call = "ibv_reg_mr", .failing_errno = ENOMEM});
  EXPECT_THAT(
      [&] { Region(0); },
      ThrowsMessage<Error>(HasSubstr("cannot register 8192 bytes of memory: Cannot allocate")));
}

}  // namespace
}  // namespace rdmabench
