#include "bench/placement_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

RemoteOptions Asked(std::vector<std::uint64_t> cpus, std::optional<std::uint32_t> node = {}) {
  RemoteOptions asked;
  asked.cpus = std::move(cpus);
  asked.numa_node = node;
  return asked;
}

TEST(Grant, LeavesTheServersOwnWhereNothingIsAsked) {
  const PlacementChoice granted = Grant({.cpus = {2, 3}, .numa_node = 1}, {});
  EXPECT_THAT(granted.cpus, ElementsAre(2, 3));
  EXPECT_EQ(granted.numa_node, 1U);
  EXPECT_EQ(granted.cpus_option, "--cpus");
}

TEST(Grant, GivesWhatTheServerLeavesOpen) {
  const PlacementChoice granted = Grant({}, Asked({5, 4}, 1));
  EXPECT_THAT(granted.cpus, ElementsAre(5, 4));
  EXPECT_EQ(granted.numa_node, 1U);
  EXPECT_EQ(granted.cpus_option, "--remote-cpus");
  EXPECT_EQ(granted.node_option, "--remote-numa-node");
}

TEST(Grant, GivesSomeOfTheServersCpus) {
  EXPECT_THAT(Grant({.cpus = {2, 3, 4}}, Asked({4, 2})).cpus, ElementsAre(4, 2));
}

TEST(Grant, GivesTheNodeThatIsTheServersAnyhow) {
  EXPECT_EQ(Grant({.numa_node = 1}, Asked({}, 1)).numa_node, 1U);
}

TEST(Grant, GivesTheNodeOfMemoryToAServerThatDoesNotPin) {
  const PlacementChoice granted = Grant({.pin = false}, Asked({}, 1));
  EXPECT_EQ(granted.numa_node, 1U);
  EXPECT_FALSE(granted.pin);
  EXPECT_THAT(granted.cpus, IsEmpty());
}

struct Conflict {
  const char* name;
  PlacementChoice own;
  RemoteOptions asked;
  const char* option;
  const char* with;
};

void PrintTo(const Conflict& row, std::ostream* stream) { *stream << row.name; }

class RefusedGrant : public testing::TestWithParam<Conflict> {};

TEST_P(RefusedGrant, NamesBoth) {
  EXPECT_THAT(
      [] { Grant(GetParam().own, GetParam().asked); },
      ThrowsMessage<Error>(AllOf(HasSubstr(GetParam().option), HasSubstr(GetParam().with))));
}

INSTANTIATE_TEST_SUITE_P(Conflicts, RefusedGrant,
                         testing::Values(Conflict{"cpus_beyond_the_servers",
                                                  {.cpus = {2, 3}},
                                                  Asked({3, 4}),
                                                  "--remote-cpus 3,4",
                                                  "--cpus 2,3"},
                                         Conflict{"cpus_of_a_server_that_does_not_pin",
                                                  {.pin = false},
                                                  Asked({3}),
                                                  "--remote-cpus 3",
                                                  "--no-pin"},
                                         Conflict{"cpus_of_a_server_with_a_node",
                                                  {.numa_node = 1},
                                                  Asked({3}),
                                                  "--remote-cpus 3",
                                                  "--numa-node 1"},
                                         Conflict{"another_node",
                                                  {.numa_node = 1},
                                                  Asked({}, 0),
                                                  "--remote-numa-node 0",
                                                  "--numa-node 1"},
                                         Conflict{"a_node_for_a_server_with_cpus",
                                                  {.cpus = {2, 3}},
                                                  Asked({}, 0),
                                                  "--remote-numa-node 0",
                                                  "--cpus 2,3"}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace rdmabench
