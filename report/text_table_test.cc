#include "report/text_table.h"

#include <gtest/gtest.h>

namespace rdmabench::report {
namespace {

TEST(TextTable, LinesUpUnderItsTitles) {
  TextTable table({{"name", Align::kLeft}, {"Gb/s"}});
  table.AddRow({"a", "1234.5"});
  table.AddRow({"longer", "1.5"});
  EXPECT_EQ(table.Render(2),
            "  name      Gb/s\n"
            "  a       1234.5\n"
            "  longer     1.5\n");
}

TEST(TextTable, KeepsTheMinimumWidth) {
  TextTable table({{"n", Align::kRight, 6}});
  table.AddRow({"1"});
  EXPECT_EQ(table.Render(0), "     n\n     1\n");
}

TEST(TextTable, HasNoTitleLineWithoutTitles) {
  TextTable table({{"", Align::kLeft}, {"", Align::kLeft}});
  table.AddRow({"device", "rxe0"});
  EXPECT_EQ(table.Render(0), "device  rxe0\n");
}

TEST(TextTable, LeavesNoBlanksAtTheEndOfALine) {
  TextTable table({{"left", Align::kLeft}, {"right", Align::kLeft}});
  table.AddRow({"a", ""});
  table.AddRow({"b"});
  EXPECT_EQ(table.Render(0), "left  right\na\nb\n");
}

TEST(TextTable, CountsCodePointsAndNotBytes) {
  TextTable table({{"±95 %"}, {"x"}});
  table.AddRow({"1.000", "2"});
  EXPECT_EQ(table.Render(0), "±95 %  x\n1.000  2\n");
}

}  // namespace
}  // namespace rdmabench::report
