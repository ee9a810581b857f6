#include "transport/huge_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "transport/error.h"

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t k2MiB = std::size_t{1} << 21;
constexpr std::size_t k1GiB = std::size_t{1} << 30;

// A tree of files as sysfs has it.
class HugePagesTest : public ::testing::Test {
 protected:
  HugePagesTest() { fs::remove_all(root_); }
  ~HugePagesTest() override { fs::remove_all(root_); }

  HugePages Of(std::size_t page_bytes, std::optional<unsigned> node = {}) const {
    return {.sysfs = root_, .page_bytes = page_bytes, .node = node};
  }
  static void Put(const HugePages& pages, int all, int free, int promised = 0) {
    fs::create_directories(pages.Directory());
    std::ofstream(pages.Directory() / "nr_hugepages") << all << "\n";
    std::ofstream(pages.Directory() / "free_hugepages") << free << "\n";
    if (!pages.node) std::ofstream(pages.Directory() / "resv_hugepages") << promised << "\n";
  }

  const fs::path root_ = fs::path(::testing::TempDir()) / "huge_pages";
};

TEST_F(HugePagesTest, LieWhereTheKernelHasThem) {
  EXPECT_EQ(Of(k2MiB).Directory(), root_ / "kernel/mm/hugepages/hugepages-2048kB");
  EXPECT_EQ(Of(k1GiB, 1).Directory(),
            root_ / "devices/system/node/node1/hugepages/hugepages-1048576kB");
}

TEST_F(HugePagesTest, AreFreeWhereNobodyHasThemNorIsPromisedThem) {
  Put(Of(k2MiB), 8, 5, 2);
  EXPECT_EQ(Of(k2MiB).Free(), 3U);
  EXPECT_EQ(WhyNoHugePage(Of(k2MiB)), std::nullopt);
}

TEST_F(HugePagesTest, ComeBySysctlInAdditionToThoseInUse) {
  Put(Of(k2MiB), 8, 5, 2);
  // Five are used or promised.
  EXPECT_THAT(Of(k2MiB).Remedy(16), HasSubstr("sysctl vm.nr_hugepages=21,"));
}

TEST_F(HugePagesTest, OfANodeComeByItsFile) {
  Put(Of(k2MiB, 1), 0, 0);
  const std::string file = (Of(k2MiB, 1).Directory() / "nr_hugepages").string();
  EXPECT_EQ(Of(k2MiB, 1).Remedy(4), "as root: echo 4 > " + file);
}

TEST_F(HugePagesTest, OfOneGiBComeByItsFileOrTheKernelsCommandLine) {
  Put(Of(k1GiB), 1, 0);
  EXPECT_THAT(Of(k1GiB).Remedy(2), AllOf(HasSubstr("echo 3 > "), HasSubstr("hugepages-1048576kB"),
                                         HasSubstr("hugepagesz=1G hugepages=3")));
}

TEST_F(HugePagesTest, ThatAreNotFreeAreMissedWithTheRemedy) {
  Put(Of(k2MiB), 4, 0);
  EXPECT_THAT(WhyNoHugePage(Of(k2MiB)).value_or(""),
              AllOf(HasSubstr("none is free; "), HasSubstr("sysctl vm.nr_hugepages=36,"),
                    HasSubstr("--working-set may need more")));
  EXPECT_EQ(WhyNoHugePage(Of(k1GiB)), Of(k1GiB).Remedy(1)) << "it has none of this size";
}

// As many as a worker takes by default: 64 MiB.
TEST_F(HugePagesTest, ThatAreNotFreeOnANodeComeByItsOwnFile) {
  Put(Of(k2MiB), 8, 8);
  Put(Of(k2MiB, 0), 8, 8);
  Put(Of(k2MiB, 1), 0, 0);
  const std::string file = (Of(k2MiB, 1).Directory() / "nr_hugepages").string();
  EXPECT_EQ(WhyNoHugePage(Of(k2MiB, 0)), std::nullopt);
  EXPECT_EQ(WhyNoHugePage(Of(k2MiB, 1)), "none is free on NUMA node 1; as root: echo 32 > " + file +
                                             "; --working-set may need more");
}

TEST_F(HugePagesTest, AreCountedWhereTheyAre) {
  Put(Of(k2MiB), 8, 8);
  Put(Of(k2MiB, 1), 4, 3);
  EXPECT_EQ(HugePagesText(Of(k2MiB)), "8 free");
  EXPECT_EQ(HugePagesText(Of(k2MiB, 1)), "3 free on NUMA node 1");
  Put(Of(k2MiB, 1), 4, 0);
  std::ofstream(Of(k2MiB).Directory() / "nr_overcommit_hugepages") << "16\n";
  EXPECT_THAT(HugePagesText(Of(k2MiB, 1)), HasSubstr("nr_overcommit_hugepages"));
}

TEST_F(HugePagesTest, MayComeWhenTheyAreNeeded) {
  Put(Of(k2MiB), 0, 0);
  std::ofstream(Of(k2MiB).Directory() / "nr_overcommit_hugepages") << "16\n";
  EXPECT_EQ(WhyNoHugePage(Of(k2MiB)), std::nullopt);
}

TEST_F(HugePagesTest, OfANodeDoForSoManyUnlessMoreMayBeMade) {
  Put(Of(k2MiB), 8, 8);
  Put(Of(k2MiB, 1), 4, 4);
  EXPECT_TRUE(Of(k2MiB, 1).HasFor(4));
  EXPECT_FALSE(Of(k2MiB, 1).HasFor(5));
  std::ofstream(Of(k2MiB).Directory() / "nr_overcommit_hugepages") << "16\n";
  EXPECT_TRUE(Of(k2MiB, 1).HasFor(5));
}

TEST_F(HugePagesTest, ThatTheKernelDoesNotKnowAreNotToBeHad) {
  EXPECT_EQ(Of(k1GiB).Free(), std::nullopt);
  EXPECT_THAT(WhyNoHugePage(Of(k1GiB)).value_or(""), HasSubstr("the kernel offers none of 1 GiB"));
}

// More than any machine that runs this has.
TEST(HugeMemory, SaysHowManyPagesAreNeededAndHowTheyComeToBe) {
  constexpr std::size_t kPages = std::size_t{1} << 24;
  try {
    kHuge2mMemory.allocate(nullptr, {.bytes = kPages * k2MiB - 1, .numa_node = {}, .others = 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("cannot have 16777216 huge pages of 2 MiB"));
    EXPECT_THAT(error.remedy(), HasSubstr("huge"));
  }
}

}  // namespace
}  // namespace rdmabench
