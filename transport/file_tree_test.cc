#include "transport/file_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/machine_tree.h"

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FileTreeTest : public testing::Test {
 protected:
  MachineTree tree_{testing::UnitTest::GetInstance()->current_test_info()->name()};
  const FileTree files_{tree_.root()};
};

TEST_F(FileTreeTest, ReadsTheFirstLineWithoutBlanks) {
  tree_.WriteBytes("/sys/a", " \t one \nother\n");
  EXPECT_EQ(files_.Line("/sys/a"), "one");
  EXPECT_THAT(files_.Lines("/sys/a"), ElementsAre("one", "other"));
  EXPECT_EQ(files_.Line("/sys/b"), std::nullopt);
  EXPECT_EQ(files_.Line("/sys"), std::nullopt) << "a directory";
}

TEST_F(FileTreeTest, ReadsTheNumberThatALineBeginsWith) {
  tree_.Write("/speed", "16.0 GT/s PCIe");
  tree_.Write("/unknown", "Unknown");
  EXPECT_EQ(files_.Number("/speed"), 16.0);
  EXPECT_EQ(files_.Number("/unknown"), std::nullopt);
}

TEST_F(FileTreeTest, ListsInTheOrderOfNumbers) {
  for (const char* name : {"cpu10", "cpu2", "cpufreq", "cpu1"}) {
    tree_.Directory(std::string("/cpu/") + name);
  }
  EXPECT_THAT(files_.Entries("/cpu"), ElementsAre("cpu1", "cpu2", "cpu10", "cpufreq"));
  EXPECT_THAT(files_.Entries("/nowhere"), IsEmpty());
}

TEST_F(FileTreeTest, NamesWhatALinkLeadsTo) {
  tree_.Link("/lib/libibverbs.so.1", "/lib/libibverbs.so.1.14.44.0");
  tree_.Write("/lib/plain", "");
  EXPECT_EQ(files_.LinkedName("/lib/libibverbs.so.1"), "libibverbs.so.1.14.44.0");
  EXPECT_EQ(files_.LinkedName("/lib/plain"), "");
  EXPECT_FALSE(files_.Has("/lib/libibverbs.so.1")) << "what it leads to is not there";
}

TEST(JoinPath, PutsASlashBetween) {
  EXPECT_EQ(JoinPath({"/sys/class/net", "eth1", "mtu"}), "/sys/class/net/eth1/mtu");
  EXPECT_EQ(JoinPath({"/proc"}), "/proc");
}

}  // namespace
}  // namespace rdmabench
