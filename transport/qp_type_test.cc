#include "transport/qp_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string NameOf(const ::testing::TestParamInfo<QpType>& info) {
  return std::string(info.param.name);
}

class EachQpType : public ::testing::TestWithParam<QpType> {};
INSTANTIATE_TEST_SUITE_P(Rows, EachQpType, ::testing::ValuesIn(QpTypes().begin(), QpTypes().end()),
                         NameOf);

TEST_P(EachQpType, IsFoundByItsName) {
  EXPECT_EQ(FindQpType(GetParam().name).verbs, GetParam().verbs);
}

TEST_P(EachQpType, IsFoundInCapitals) {
  std::string name(GetParam().name);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  EXPECT_EQ(FindQpType(name).verbs, GetParam().verbs);
}

TEST_P(EachQpType, SetsTheStateInEveryTransition) {
  const QpType& type = GetParam();
  EXPECT_TRUE(type.init_mask & type.rtr_mask & type.rts_mask & IBV_QP_STATE);
}

TEST_P(EachQpType, IsAddressedByPathOrByRequest) {
  const QpType& type = GetParam();
  ibv_ah handle{};
  ibv_send_wr wr{};
  type.address(wr, {.addr = 1, .rkey = 2, .ah = &handle, .qpn = 3, .qkey = 4});
  const bool by_request =
      wr.wr.ud.ah == &handle && wr.wr.ud.remote_qpn == 3 && wr.wr.ud.remote_qkey == 4;
  EXPECT_NE(by_request, (type.rtr_mask & IBV_QP_AV) != 0);
}

TEST_P(EachQpType, LeavesRoomForTheGrhOnlyWithoutConnection) {
  const bool connected = (GetParam().rtr_mask & IBV_QP_DEST_QPN) != 0;
  EXPECT_EQ(GetParam().recv_headroom, connected ? 0U : 40U);
}

TEST(QpType, NamesTheKnownOnesWhenAskedForAnother) {
  EXPECT_THAT([] { FindQpType("xrc"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("xrc"), HasSubstr("known: rc, uc, ud"))));
}

}  // namespace
}  // namespace rdmabench
