#include "transport/socket_rows.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "transport/catalogue.h"

namespace rdmabench {
namespace {

struct Case {
  int code;
  const char* dialing;
  const char* source;
  const char* listening;
  const char* anywhere;  // listening on any port
};

class SocketRowsTest : public testing::TestWithParam<Case> {};

TEST_P(SocketRowsTest, NamesARowOfTheCatalogue) {
  const Case& row = GetParam();
  EXPECT_EQ(RowOfDialing(row.code), row.dialing);
  EXPECT_EQ(RowOfSource(row.code), row.source);
  EXPECT_EQ(RowOfListening(row.code, 5), row.listening);
  EXPECT_EQ(RowOfListening(row.code, 0), row.anywhere);
  for (const char* name : {row.dialing, row.source, row.listening, row.anywhere}) {
    EXPECT_NE(FindEntry(name), nullptr) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Codes, SocketRowsTest,
    testing::Values(
        Case{EMFILE, "exhausted", "exhausted", "exhausted", "exhausted"},
        Case{ENFILE, "exhausted", "exhausted", "exhausted", "exhausted"},
        Case{ENOBUFS, "exhausted", "exhausted", "exhausted", "exhausted"},
        Case{ENOMEM, "exhausted", "exhausted", "exhausted", "exhausted"},
        Case{EADDRNOTAVAIL, "exhausted", "foreign_address", "foreign_address", "foreign_address"},
        Case{EADDRINUSE, "no_way", "exhausted", "port_taken", "exhausted"},
        Case{EACCES, "no_way", "foreign_address", "port_forbidden", "port_forbidden"},
        Case{EAFNOSUPPORT, "no_way", "foreign_address", "foreign_address", "foreign_address"},
        Case{ECONNREFUSED, "nobody_listens", "foreign_address", "foreign_address",
             "foreign_address"},
        Case{ENETUNREACH, "no_way", "foreign_address", "foreign_address", "foreign_address"},
        Case{ETIMEDOUT, "no_way", "foreign_address", "foreign_address", "foreign_address"}));

}  // namespace
}  // namespace rdmabench
