#include "transport/unsigned_number.h"

#include <gtest/gtest.h>

namespace rdmabench {
namespace {

TEST(ParseUnsigned, TakesDigitsAlone) {
  EXPECT_EQ(ParseUnsigned("0"), 0U);
  EXPECT_EQ(ParseUnsigned("0042"), 42U);
  EXPECT_EQ(ParseUnsigned("18446744073709551615"), ~std::uint64_t{0});
  for (const char* text :
       {"", " 1", "1 ", "+1", "-1", "0x1", "1.0", "1e3", "1K", "a", "18446744073709551616"}) {
    EXPECT_EQ(ParseUnsigned(text), std::nullopt) << text;
  }
}

TEST(ParseUnsigned, TakesNoMoreThanTheMost) {
  EXPECT_EQ(ParseUnsigned("255", 255), 255U);
  EXPECT_EQ(ParseUnsigned("256", 255), std::nullopt);
}

}  // namespace
}  // namespace rdmabench
