#include "transport/event.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

namespace rdmabench {
namespace {

TEST(Event, HasANameOfItsOwnForEachKind) {
  std::set<std::string_view> names;
  for (const EventRow& row : EventRows()) {
    EXPECT_EQ(NameOf(row.kind), row.name);
    EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
}

// docs/server.md has a line for each kind, in the same order, and none for others.
TEST(Event, HasALineInTheManual) {
  std::ifstream page("docs/server.md");
  std::string line;
  while (std::getline(page, line) && !line.starts_with("| event | when |")) continue;
  std::getline(page, line);  // the rule below the head
  for (const EventRow& row : EventRows()) {
    std::getline(page, line);
    EXPECT_TRUE(line.starts_with("| `" + std::string(row.name) + "` | "))
        << row.name << ": " << line;
  }
  std::getline(page, line);
  EXPECT_EQ(line, "");
}

TEST(Event, IsOneLineThatBeginsWithThePeer) {
  const Event event{.kind = EventKind::kQueued, .peer = "10.0.0.1:5", .text = "queued at place 1"};
  EXPECT_EQ(EventLine(event), "10.0.0.1:5 queued at place 1");
}

TEST(Event, OfTheServerItselfHasNoPeer) {
  const Event event{.kind = EventKind::kListening, .peer = "", .text = "listens on port 5"};
  EXPECT_EQ(EventLine(event), "listens on port 5");
}

TEST(Event, CannotForgeALine) {
  const Event event{.kind = EventKind::kDismissed,
                    .peer = "10.0.0.1:5",
                    .text = "dismissed: \x1b[2Jit\n2026-01-01T00:00:00Z 10.0.0.2:5 is served"};
  EXPECT_EQ(EventLine(event),
            "10.0.0.1:5 dismissed: ?[2Jit 2026-01-01T00:00:00Z 10.0.0.2:5 is served");
}

TEST(Event, IsCutWhereItIsTooLong) {
  const Event event{
      .kind = EventKind::kDismissed, .peer = "10.0.0.1:5", .text = std::string(100'000, 'x')};
  EXPECT_LE(EventLine(event).size(), 4000u);
}

}  // namespace
}  // namespace rdmabench
