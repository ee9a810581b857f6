#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cmd/options.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Property;
using ::testing::Throws;
using ::testing::ThrowsMessage;
using Words = std::vector<std::string>;

Options Parse(Words words) { return ParseOptions(words); }

TEST(PlacementOptions, AreAbsentUnlessGiven) {
  const Options options = Parse({"write_bw", "host"});
  EXPECT_THAT(options.local.placement.cpus, IsEmpty());
  EXPECT_FALSE(options.local.placement.numa_node);
  EXPECT_TRUE(options.local.placement.pin);
  EXPECT_THAT(options.plan.remote.cpus, IsEmpty());
  EXPECT_FALSE(options.output.explain);
}

TEST(PlacementOptions, ChooseTheCpusOfEitherCommand) {
  EXPECT_THAT(Parse({"write_bw", "host", "--cpus", "8,2,4-6"}).local.placement.cpus,
              ElementsAre(8, 2, 4, 5, 6));
  EXPECT_THAT(Parse({"server", "--cpus=1"}).local.placement.cpus, ElementsAre(1));
}

TEST(PlacementOptions, TakePerftestsNames) {
  const PlacementChoice choice =
      Parse({"write_bw", "host", "--pin_cores", "2,3", "--numa_node", "1"}).local.placement;
  EXPECT_THAT(choice.cpus, ElementsAre(2, 3));
  EXPECT_EQ(choice.numa_node, 1U);
}

TEST(PlacementOptions, LeaveThreadsToTheSystem) {
  EXPECT_FALSE(Parse({"server", "--no-pin"}).local.placement.pin);
}

TEST(PlacementOptions, AskForTheServersPlace) {
  const Options options =
      Parse({"write_bw", "host", "--remote-cpus", "3-5", "--remote-numa-node", "1"});
  EXPECT_THAT(options.plan.remote.cpus, ElementsAre(3, 4, 5));
  EXPECT_EQ(options.plan.remote.numa_node, 1U);
}

TEST(PlacementOptions, AskToBeExplained) {
  EXPECT_TRUE(Parse({"write_bw", "host", "--explain"}).output.explain);
}

class RefusedPlacement : public testing::TestWithParam<std::pair<Words, Words>> {};

TEST_P(RefusedPlacement, SaysWhatIsWrong) {
  for (const std::string& text : GetParam().second) {
    EXPECT_THAT([&] { Parse(GetParam().first); }, ThrowsMessage<Error>(HasSubstr(text)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lines, RefusedPlacement,
    testing::Values(
        std::pair{Words{"write_bw", "h", "--cpus", "2,2"},
                  Words{"--cpus '2,2' is no list", "it has 2 twice"}},
        std::pair{Words{"write_bw", "h", "--cpus", ""}, Words{"--cpus has no value"}},
        std::pair{Words{"write_bw", "h", "--numa-node", ""}, Words{"--numa-node has no value"}},
        std::pair{Words{"write_bw", "h", "--remote-numa-node", "-1"},
                  Words{"--remote-numa-node '-1' is no number of a NUMA node"}},
        std::pair{Words{"write_bw", "h", "--remote-cpus", "3-1"},
                  Words{"--remote-cpus '3-1'", "ends before it begins"}},
        std::pair{Words{"write_bw", "h", "--numa-node", "65536"}, Words{"--numa-node", "65535"}},
        std::pair{Words{"write_bw", "h", "--no-pin", "--cpus", "1"}, Words{"--no-pin", "--cpus"}},
        std::pair{Words{"server", "--cpus", "1", "--no-pin"}, Words{"--no-pin", "--cpus"}},
        std::pair{Words{"server", "--remote-cpus", "1"}, Words{"unknown option --remote-cpus"}}));

TEST(PlacementOptions, SayWhereTheNumbersOfNodesAreFound) {
  EXPECT_THAT(
      [] {
        Parse({"write_bw", "host", "--numa-node", "-1"});
      },
      Throws<Error>(Property(&Error::remedy, HasSubstr("rdmabench devices"))));
}

}  // namespace
}  // namespace rdmabench
