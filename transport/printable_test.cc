#include "transport/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace rdmabench {
namespace {

TEST(Printable, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(Printable("rxe0 of Zürich → 東京 🙂", 100), "rxe0 of Zürich → 東京 🙂");
}

TEST(Printable, TakesEscapeSequencesTheirPower) {
  EXPECT_EQ(Printable("\x1b[2J\x07\x7f", 100), "?[2J??");
  EXPECT_EQ(Printable("\xc2\x9b", 100), "?") << "CSI as one character of the C1 set";
}

TEST(Printable, KeepsOneLine) { EXPECT_EQ(Printable("a\r\n\tb", 100), "a   b"); }

TEST(Printable, ReplacesMarksThatTurnTheDirectionOfWriting) {
  // In two parts, so that this file does not turn its own.
  const std::string mark = std::string("\xe2\x80") + "\xae";
  EXPECT_EQ(Printable("a" + mark + "b", 100), "a?b");
}

TEST(Printable, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(Printable("\xff\x80", 100), "??");
  EXPECT_EQ(Printable("\xc0\xaf", 100), "??") << "overlong";
  EXPECT_EQ(Printable("\xed\xa0\x80", 100), "???") << "a surrogate";
  EXPECT_EQ(Printable("a\xe2\x82", 100), "a??") << "cut off";
}

TEST(Printable, ShowsThatSomethingWasCutOff) {
  EXPECT_EQ(Printable("0123456789", 10), "0123456789");
  EXPECT_EQ(Printable("0123456789a", 10), "0123456…");
  EXPECT_EQ(Printable("üüüüüü", 10), "üüü…") << "never half a character";
  EXPECT_EQ(Printable("abc", 2), "");
}

}  // namespace
}  // namespace rdmabench
