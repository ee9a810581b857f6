#include "bench/whereabouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "transport/error.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

Whereabouts Found(std::vector<std::uint64_t> cpus, std::uint64_t asked, std::uint64_t on_node) {
  const std::size_t workers = cpus.size();
  return {.ran_on_cpus = std::move(cpus),
          .ran_on_nodes = std::vector<std::uint64_t>(workers, 1),
          .distances = std::vector<std::uint64_t>(workers, 10),
          .pages = {{.asked = asked, .on_node = on_node}}};
}

Whereabouts Read(const json& wire) { return WhereaboutsFromJson(JsonReader(wire, "whereabouts")); }

TEST(Whereabouts, ComeBackAsTheyWere) {
  const Whereabouts found = Found({2, 3}, 100, 75);
  EXPECT_EQ(Read(WhereaboutsToJson(found)), found);
}

struct Planted {
  const char* key;
  json value;
};
class HostileWhereabouts : public testing::TestWithParam<Planted> {};

TEST_P(HostileWhereabouts, AreRefused) {
  json wire = WhereaboutsToJson(Found({2, 3}, 100, 75));
  wire[GetParam().key] = GetParam().value;
  EXPECT_THROW(Read(wire), Error) << GetParam().key;
}

INSTANTIATE_TEST_SUITE_P(
    Fields, HostileWhereabouts,
    testing::Values(Planted{"ran_on_cpus", 2}, Planted{"ran_on_cpus", {65536}},
                    Planted{"ran_on_cpus", std::vector<int>(65537, 1)},
                    Planted{"ran_on_nodes", {1}}, Planted{"ran_on_nodes", {65536, 1}},
                    Planted{"distances", {10}}, Planted{"distances", {10, 65536}},
                    Planted{"pages_asked", 100}, Planted{"pages_asked", {-1}},
                    Planted{"pages_asked", {5000}}, Planted{"pages_asked", {100, 100}},
                    Planted{"pages_on_node", {75, 75}}, Planted{"pages_on_node", {101}},
                    Planted{"pages_on_node", "all"}, Planted{"extra", 1}));

TEST(Whereabouts, AreTheLastCpusAndTheSmallestShare) {
  report::Host host{.placement = report::Placement{}};
  Note(Found({1, 2}, 8, 8), host);
  EXPECT_EQ(host.placement->pages_on_node, 1.0);
  Note(Found({3, 2}, 8, 6), host);
  Note(Found({4, 2}, 8, 7), host);
  EXPECT_EQ(host.placement->pages_on_node, 0.75);
  EXPECT_THAT(host.placement->ran_on_cpus, ElementsAre(4, 2));
}

TEST(Whereabouts, HaveTheLargestDistanceOfAllRuns) {
  report::Host host{.placement = report::Placement{.distance = 10}};
  Note({.ran_on_cpus = {1, 2}, .ran_on_nodes = {0, 1}, .distances = {21, 0}, .pages = {}}, host);
  EXPECT_THAT(host.placement->ran_on_nodes, ElementsAre(0, 1));
  EXPECT_EQ(host.placement->distance, 21U);
  Note({.ran_on_cpus = {3, 2}, .ran_on_nodes = {1, 1}, .distances = {10, 10}, .pages = {}}, host);
  EXPECT_THAT(host.placement->ran_on_nodes, ElementsAre(1, 1));
  EXPECT_EQ(host.placement->distance, 21U);
}

TEST(Whereabouts, StayWhenARunTellsNothing) {
  report::Host host{.placement = report::Placement{}};
  Note(Found({1}, 8, 4), host);
  Note(Found({}, 0, 0), host);
  EXPECT_EQ(host.placement->pages_on_node, 0.5);
  EXPECT_THAT(host.placement->ran_on_cpus, ElementsAre(1));
}

TEST(Whereabouts, OfPagesAreNotKnownWhereNoneWasAskedAbout) {
  report::Host host{.placement = report::Placement{}};
  Note(Found({1}, 0, 0), host);
  EXPECT_FALSE(host.placement->pages_on_node);
}

TEST(Whereabouts, OfAHostThatWasNotPlacedAreNotKept) {
  report::Host host;
  Note(Found({1}, 8, 8), host);
  EXPECT_FALSE(host.placement);
}

TEST(Whereabouts, AreDealtToSeveralDevicesInTurn) {
  report::Host host;
  host.rails.resize(2);
  Note({.ran_on_cpus = {4, 8, 5, 9},
        .ran_on_nodes = {0, 1, 0, 0},
        .distances = {10, 10, 10, 21},
        .pages = {{8, 8}, {8, 6}, {4, 4}, {4, 3}}},
       host);
  EXPECT_THAT(host.rails[0].placement.ran_on_cpus, ElementsAre(4, 5));
  EXPECT_THAT(host.rails[1].placement.ran_on_cpus, ElementsAre(8, 9));
  EXPECT_THAT(host.rails[1].placement.ran_on_nodes, ElementsAre(1, 0));
  EXPECT_EQ(host.rails[0].placement.distance, 10U);
  EXPECT_EQ(host.rails[1].placement.distance, 21U);
  EXPECT_EQ(host.rails[0].placement.pages_on_node, 1.0);
  EXPECT_EQ(host.rails[1].placement.pages_on_node, 0.75);
  EXPECT_THAT(host.placement->ran_on_cpus, ElementsAre(4, 5));
}

report::Host HostOfOne() {
  return {.clock = report::Clock{},
          .placement = report::Placement{.worker_cpus = {4}, .memory_node = 1}};
}

TEST(Whereabouts, OfAnotherSessionAreKept) {
  report::Host before = HostOfOne();
  before.clock->drift_ppm = -3.0;
  Note(Found({4}, 8, 4), before);
  report::Host host = HostOfOne();
  CarryOver(before, host);
  EXPECT_EQ(host.clock->drift_ppm, -3.0);
  EXPECT_THAT(host.placement->ran_on_cpus, ElementsAre(4));
  Note(Found({4}, 8, 8), host);
  EXPECT_EQ(host.placement->pages_on_node, 0.5);
}

TEST(Whereabouts, OfAnotherSessionAreKeptOfEachDevice) {
  report::Host before;
  before.rails.resize(2);
  report::Host host = before;
  Note({.ran_on_cpus = {4, 8}, .pages = {{8, 8}, {8, 6}}}, before);
  CarryOver(before, host);
  EXPECT_EQ(host.rails[0].placement.pages_on_node, 1.0);
  EXPECT_EQ(host.rails[1].placement.pages_on_node, 0.75);
  EXPECT_THAT(host.rails[1].placement.ran_on_cpus, ElementsAre(8));
}

TEST(Whereabouts, OfAnotherSessionAreNotThoseOfOtherPlaces) {
  report::Host before = HostOfOne();
  Note(Found({4}, 8, 4), before);
  report::Host host = HostOfOne();
  host.placement->worker_cpus = {5};
  host.placement->memory_node = 0;
  CarryOver(before, host);
  EXPECT_TRUE(host.placement->ran_on_cpus.empty());
  EXPECT_FALSE(host.placement->pages_on_node);
}

}  // namespace
}  // namespace rdmabench
