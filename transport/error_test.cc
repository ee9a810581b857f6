#include "transport/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

TEST(Error, KeepsWhoHasToActAndWhatHelps) {
  const Error error(Blame::kUsage, "depth is 0", "give a depth from 1");
  EXPECT_EQ(error.blame(), Blame::kUsage);
  EXPECT_STREQ(error.what(), "depth is 0");
  EXPECT_EQ(error.remedy(), "give a depth from 1");
}

TEST(Error, KeepsThePlaceThatTheInnermostLevelNamed) {
  Error error(Blame::kRun, "failed");
  error.At("", "connecting").At("server", "measuring");
  EXPECT_EQ(error.host(), "server");
  EXPECT_EQ(error.step(), "connecting");
}

TEST(Error, IsAddedToAtBothEndsAndStaysWhatItIs) {
  Error error(Blame::kEnvironment, "no GIDs match", "name one");
  error.Of("gid").Refusing().Add("each is link-local").Precede("between rxe0 and rxe1");
  EXPECT_STREQ(error.what(), "between rxe0 and rxe1: no GIDs match; each is link-local");
  EXPECT_EQ(error.remedy(), "name one");
  EXPECT_EQ(error.entry(), "gid");
  EXPECT_TRUE(error.is_refusal());
}

TEST(Check, PassesPointersOn) {
  const int value = 7;
  EXPECT_EQ(Check(&value, "cannot happen"), &value);
}

TEST(Check, SaysWhatWasAttemptedAndTheSystemsWordsForANullPointer) {
  const auto attempt = [] {
    errno = ENOMEM;
    Check(static_cast<int*>(nullptr), "cannot register 4096 bytes");
  };
  EXPECT_THAT(attempt, ThrowsMessage<Error>("cannot register 4096 bytes: Cannot allocate memory"));
}

TEST(Check, ReadsTheErrnoValueThatVerbsReturn) {
  EXPECT_NO_THROW(Check(0, "cannot happen"));
  EXPECT_THAT([] { Check(EINVAL, "cannot bring the queue pair to RTR"); },
              ThrowsMessage<Error>(HasSubstr("to RTR: Invalid argument")));
}

TEST(CheckErrno, ReadsErrnoWhenASystemCallFails) {
  EXPECT_EQ(CheckErrno(3, "cannot happen"), 3);
  const auto attempt = [] {
    errno = EACCES;
    CheckErrno(-1, "cannot open the report", "check its folder");
  };
  EXPECT_THAT(attempt, ThrowsMessage<Error>(StartsWith("cannot open the report: Permission")));
}

TEST(Check, BlamesTheEnvironment) {
  try {
    Check(EPERM, "cannot lock memory", "raise memlock");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kEnvironment);
    EXPECT_EQ(error.remedy(), "raise memlock");
  }
}

}  // namespace
}  // namespace rdmabench
