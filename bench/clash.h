// For tests of Validate(): options that do not go together.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "bench/plan.h"
#include "transport/error.h"

namespace rdmabench {

struct Clash {
  const char* test;
  void (*ask)(TestPlan&);
  const char* option;
  const char* with;
};

// The test as it is goes, and with what was asked for it is refused in words that name both.
inline void ExpectRefusedNamingBoth(const Clash& clash) {
  TestPlan test;
  test.test = clash.test;
  EXPECT_NO_THROW(Validate({.tests = {test}}));
  clash.ask(test);
  EXPECT_THAT([&] { Validate({.tests = {test}}); },
              testing::ThrowsMessage<Error>(testing::AllOf(testing::HasSubstr(clash.option),
                                                           testing::HasSubstr(clash.with))));
}

}  // namespace rdmabench
