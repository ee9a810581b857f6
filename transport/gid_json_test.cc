#include "transport/gid_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "transport/error.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Gid Sample() {
  return {.index = kMostGidIndex,
          .type = GidType::kRoceV1,
          .raw = ParseGid("::ffff:192.168.77.2"),
          .netdev = {}};
}

TEST(GidJson, IsReadAsItWasWritten) {
  const json object = GidToJson(Sample());
  const Gid read = GidFromJson(JsonReader(object, "gid"));
  EXPECT_EQ(read.index, kMostGidIndex);
  EXPECT_EQ(read.type, GidType::kRoceV1);
  EXPECT_EQ(read.Text(), "::ffff:192.168.77.2");
}

struct Broken {
  std::string key;
  json value;
  std::string words;
};

class BrokenGid : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenGid, IsRefused) {
  json object = GidToJson(Sample());
  object[GetParam().key] = GetParam().value;
  EXPECT_THAT([&] { GidFromJson(JsonReader(object, "gid")); },
              ThrowsMessage<Error>(HasSubstr(GetParam().words)));
}

INSTANTIATE_TEST_SUITE_P(All, BrokenGid,
                         ::testing::Values(Broken{"index", kMostGidIndex + 1, "gid.index is 256"},
                                           Broken{"index", -1, "gid.index"},
                                           Broken{"type", "roce",
                                                  "gid.type is 'roce', not a GID type"},
                                           Broken{"text", "nowhere", "nowhere"},
                                           Broken{"text", std::string(65, ':'), "gid.text"},
                                           Broken{"netdev", "eth0", "netdev"}));

}  // namespace
}  // namespace rdmabench
