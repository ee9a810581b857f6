#include "transport/cpu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(CpuList, HasSingleOnesAndRangesInTheirOrder) {
  EXPECT_THAT(ParseCpuList("8,2,4-6"), Optional(ElementsAre(8, 2, 4, 5, 6)));
}

TEST(CpuList, MayBeOne) { EXPECT_THAT(ParseCpuList("0"), Optional(ElementsAre(0))); }

class NoCpuList : public testing::TestWithParam<const char*> {};

TEST_P(NoCpuList, IsNotTakenForOne) { EXPECT_FALSE(ParseCpuList(GetParam())) << GetParam(); }

INSTANTIATE_TEST_SUITE_P(Texts, NoCpuList,
                         testing::Values("", ",", "1,", ",1", "a", "1 ", "-1", "1-", "3-2", "1-2-3",
                                         "0x1", "65536", "0-65536", "4294967297", "2,2", "1-3,2"));

TEST(NoCpuList, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(WhyNoCpuList("8,2,4-6"), "");
  EXPECT_EQ(WhyNoCpuList("1,1"), "it has 1 twice");
  EXPECT_EQ(WhyNoCpuList("1-3,2"), "it has 2 twice");
  EXPECT_EQ(WhyNoCpuList("0,2-1"), "'2-1' ends before it begins");
  EXPECT_EQ(WhyNoCpuList("1,x"), "'x' is no number up to 65535 or range of them");
  EXPECT_EQ(WhyNoCpuList("65536"), "'65536' is no number up to 65535 or range of them");
  EXPECT_EQ(WhyNoCpuList("0-65535,0-65535"), "it has 0 twice");
  EXPECT_EQ(WhyNoCpuList("0-65535,x"), "'x' is no number up to 65535 or range of them");
}

struct Written {
  std::vector<unsigned> cpus;
  const char* text;
};
class WrittenCpuList : public testing::TestWithParam<Written> {};

TEST_P(WrittenCpuList, IsSortedAndShort) {
  EXPECT_EQ(CpuListText(GetParam().cpus), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Lists, WrittenCpuList,
                         testing::Values(Written{{}, ""}, Written{{3}, "3"}, Written{{3, 2}, "2,3"},
                                         Written{{6, 4, 5, 2}, "2,4-6"}, Written{{1, 1, 1}, "1"},
                                         Written{{0, 1, 2, 4, 5, 7, 8, 9}, "0-2,4,5,7-9"}));

TEST(CpuList, IsReadAsItWasWritten) {
  const std::vector<unsigned> cpus{0, 1, 2, 3, 9, 11, 12, 65535};
  EXPECT_THAT(ParseCpuList(CpuListText(cpus)), Optional(cpus));
}

}  // namespace
}  // namespace rdmabench
