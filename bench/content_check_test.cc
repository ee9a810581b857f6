// The check of verified messages among those of a result.

#include "bench/content_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bench/checks.h"

namespace rdmabench {
namespace {

class ContentCheck : public testing::Test {
 protected:
  report::Check Found() const {
    const std::vector<report::Check> checks = ChecksOf({.result = result_, .hosts = {}});
    const auto found = std::find_if(checks.begin(), checks.end(), [](const report::Check& check) {
      return check.name == kContentCheck;
    });
    return found == checks.end() ? report::Check{} : *found;
  }

  report::Result result_{.test = "send_bw",
                         .qp_type = "rc",
                         .messages = 100,
                         .traffic = {{.sent = {.messages = 100}}},
                         .verification = report::Verification{.seed = 1, .checked_messages = 100}};
};

TEST_F(ContentCheck, HoldsWhereNothingIsBad) {
  EXPECT_TRUE(Found().ok);
  EXPECT_EQ(Found().text, "");
}

TEST_F(ContentCheck, IsNoneWhereNothingIsVerified) {
  result_.verification.reset();
  EXPECT_EQ(Found().name, "");
}

TEST_F(ContentCheck, TellsTheFirstBadMessage) {
  result_.verification->bad_messages = 1;
  result_.verification->first_bad = report::BadMessage{.host = 1,
                                                       .queue_pair = 3,
                                                       .message = 42,
                                                       .offset_bytes = 16,
                                                       .expected_hex = "00",
                                                       .found_hex = "01",
                                                       .finding = "other_message",
                                                       .found_message = 41};
  EXPECT_FALSE(Found().ok);
  EXPECT_EQ(Found().text,
            "message 42 of queue pair 3, seen by the server, from byte 16 on: expected 00, found "
            "01: it is another message's (41)");
}

TEST_F(ContentCheck, DoesNotHoldWhereAMessageWasNotLookedAt) {
  result_.verification->checked_messages = 99;
  EXPECT_FALSE(Found().ok);
  EXPECT_NE(Found().text, "");
  result_.qp_type = "uc";
  EXPECT_TRUE(Found().ok) << "one may be lost there";
}

}  // namespace
}  // namespace rdmabench
