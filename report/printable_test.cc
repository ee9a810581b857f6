#include "report/printable.h"

#include <gtest/gtest.h>

namespace rdmabench::report {
namespace {

struct Case {
  std::string name;
  std::string raw;
  std::string printable;
};
class PrintableTest : public ::testing::TestWithParam<Case> {};

TEST_P(PrintableTest, IsSafeForATerminal) {
  EXPECT_EQ(Printable(GetParam().raw), GetParam().printable);
}

INSTANTIATE_TEST_SUITE_P(
    All, PrintableTest,
    ::testing::Values(
        Case{"Ascii", "rxe0: \"ok\" \\ 5%", "rxe0: \"ok\" \\ 5%"}, Case{"Empty", "", ""},
        Case{"Umlaut", "Zürich → 東京 😀", "Zürich → 東京 😀"},
        Case{"LineBreaks", "a\nb\r\tc", "a\\nb\\r\\tc"}, Case{"Escape", "\x1b[2J", "\\x1b[2J"},
        Case{"Nul", std::string("a\0b", 3), "a\\x00b"}, Case{"Delete", "\x7f", "\\x7f"},
        Case{"C1", "\xc2\x9b", "\\u009b"}, Case{"RightToLeftOverride", "\u202e", "\\u202e"},
        Case{"LineSeparator", "\u2028", "\\u2028"}, Case{"LoneContinuation", "a\x80z", "a\uFFFDz"},
        Case{"Truncated", "a\xe2\x82", "a\uFFFD\uFFFD"},
        Case{"Overlong", "\xc0\xaf", "\uFFFD\uFFFD"},
        Case{"Surrogate", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
        Case{"AboveUnicode", "\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
        Case{"NoLeadByte", "\xff\xfe", "\uFFFD\uFFFD"}),
    [](const auto& row) { return row.param.name; });

TEST(Columns, CountsCodePoints) {
  EXPECT_EQ(Columns("±95 %"), 5u);
  EXPECT_EQ(Columns(""), 0u);
}

}  // namespace
}  // namespace rdmabench::report
