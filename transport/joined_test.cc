#include "transport/joined.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace rdmabench {
namespace {

struct Row {
  std::string_view name;
  int number = 0;
};

TEST(Joined, HasEachElementOnceWithSeparatorsBetween) {
  EXPECT_EQ(Joined(std::vector<std::string>{}), "");
  EXPECT_EQ(Joined(std::vector<std::string>{"rc"}), "rc");
  EXPECT_EQ(Joined(std::array<std::string_view, 3>{"rc", "uc", "ud"}), "rc, uc, ud");
}

TEST(Joined, TakesAMemberOrWhatAFunctionMakes) {
  const std::vector<Row> rows = {{"a", 1}, {"b", 2}};
  EXPECT_EQ(Joined(rows, &Row::name, "|"), "a|b");
  EXPECT_EQ(Joined(rows, [](const Row& row) { return std::to_string(row.number); }), "1, 2");
}

TEST(AppendWord, MakesAListOfThoseThatAreChosenOnTheWay) {
  std::string list;
  for (const std::string_view word : {"a", "b", "c"}) {
    if (word != "b") AppendWord(list, word, "; ");
  }
  EXPECT_EQ(list, "a; c");
}

}  // namespace
}  // namespace rdmabench
