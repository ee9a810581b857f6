#include "transport/irq_affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace rdmabench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

MATCHER_P2(Is, irq, cpus, "") { return arg.irq == unsigned{irq} && arg.cpus == cpus; }
std::vector<unsigned> Cpus(std::vector<unsigned> cpus) { return cpus; }

// A copy of the structure of /sys and /proc in the test's own directory.
class Irqs : public ::testing::Test {
 protected:
  Irqs()
      : root_(fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~Irqs() override { fs::remove_all(root_); }

  void Write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  // As the kernel lists it: a file of that name, which says of which sort it is.
  void Message(const std::string& irq) {
    Write("sys/bus/pci/devices/0000:3b:00.0/msi_irqs/" + irq, "msix");
  }
  std::vector<IrqAffinity> Read() const { return ReadIrqs(root_, "0000:3b:00.0", "eth1"); }

  const fs::path root_;
};

TEST_F(Irqs, AreServedWhereTheyAreDelivered) {
  Message("34");
  Message("33");
  Message("105");
  Write("proc/irq/33/smp_affinity_list", "0-7");
  Write("proc/irq/33/effective_affinity_list", "2");
  Write("proc/irq/34/smp_affinity_list", "0-7");
  Write("proc/irq/34/effective_affinity_list", "4-5");
  Write("proc/irq/105/effective_affinity_list", "2");
  EXPECT_THAT(Read(), ElementsAre(Is(33U, Cpus({2})), Is(34U, Cpus({4, 5})), Is(105U, Cpus({2}))));
  EXPECT_THAT(CpusServing(Read()), ElementsAre(2, 4, 5));
}

TEST_F(Irqs, MayBeServedWhereTheyWereAskedForWhenTheKernelTellsNoMore) {
  Message("33");
  Write("proc/irq/33/smp_affinity_list", "6,7");
  EXPECT_THAT(Read(), ElementsAre(Is(33U, Cpus({6, 7}))));
}

TEST_F(Irqs, AreServedNowhereWhileTheyAreNotInUse) {
  Message("33");
  Write("proc/irq/33/smp_affinity_list", "0-7");
  Write("proc/irq/33/effective_affinity_list", "");
  EXPECT_THAT(Read(), IsEmpty());
}

TEST_F(Irqs, MayBeOneLine) {
  Write("sys/bus/pci/devices/0000:3b:00.0/irq", "11");
  Write("proc/irq/11/effective_affinity_list", "1");
  EXPECT_THAT(Read(), ElementsAre(Is(11U, Cpus({1}))));
}

TEST_F(Irqs, AreNoneWhereTheLineIsZero) {
  Write("sys/bus/pci/devices/0000:3b:00.0/irq", "0");
  Write("proc/irq/0/effective_affinity_list", "0");
  EXPECT_THAT(Read(), IsEmpty());
}

TEST_F(Irqs, AreFoundByTheInterfaceWhereTheAddressIsNotKnown) {
  Write("sys/class/net/eth1/device/msi_irqs/40", "msi");
  Write("proc/irq/40/effective_affinity_list", "3");
  EXPECT_THAT(ReadIrqs(root_, std::nullopt, "eth1"), ElementsAre(Is(40U, Cpus({3}))));
}

TEST_F(Irqs, AreNoneOfADeviceThatIsNotThere) {
  EXPECT_THAT(Read(), IsEmpty());
  EXPECT_THAT(ReadIrqs(root_, std::nullopt, ""), IsEmpty());
}

TEST_F(Irqs, AreNotReadFromWhatIsNoNumber) {
  Message("33");
  Message("x");
  Write("proc/irq/33/effective_affinity_list", "everywhere");
  EXPECT_THAT(Read(), IsEmpty());
}

}  // namespace
}  // namespace rdmabench
