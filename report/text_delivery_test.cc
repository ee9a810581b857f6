#include "report/text_delivery.h"

#include <gtest/gtest.h>

#include <array>

namespace rdmabench::report {
namespace {

class TextDelivery : public testing::Test {
 protected:
  TextDelivery() {
    for (Result* result : {&small_, &large_}) result->traffic.resize(1);
    small_.message_bytes = 64;
    large_.message_bytes = 4096;
    small_.traffic[0].sent.messages = large_.traffic[0].sent.messages = 1000;
  }
  std::string Lines() const { return DeliveryLines(report_, std::array{&small_, &large_}); }
  void SetBoth(const Delivery& delivery) {
    small_.traffic[0].delivery = large_.traffic[0].delivery = delivery;
  }

  Report report_{.hosts = {{.name = "near"}, {.name = "far\n"}}};
  Result small_;
  Result large_;
};

TEST_F(TextDelivery, SaysNothingWhereMessagesAreAcknowledged) { EXPECT_EQ(Lines(), ""); }

TEST_F(TextDelivery, SaysOnceWhatGoesForAll) {
  SetBoth({.lost = 0, .arrivals = Arrivals{}});
  EXPECT_EQ(Lines(), "  delivery: all arrived, none twice, none out of order\n");
  SetBoth({.lost = 0});
  EXPECT_EQ(Lines(), "  delivery: all arrived, order not known\n");
  SetBoth({});
  EXPECT_EQ(Lines(), "  delivery: not known, a WRITE leaves no trace at its target\n");
}

TEST_F(TextDelivery, SaysOfEachSizeWhatDiffers) {
  SetBoth({.lost = 0, .arrivals = Arrivals{}});
  large_.traffic[0].delivery = {
      .lost = 12,
      .loss_ratio = 0.012,
      .arrivals = Arrivals{.duplicated = 3, .reordered = 2, .furthest_behind = 5, .late = 1}};
  EXPECT_EQ(Lines(),
            "  delivery of 64 B: all arrived, none twice, none out of order\n"
            "  delivery of 4096 B: 12 of 1000 lost (1.2 %), 3 twice, 2 out of order by up to 5, "
            "1 too late to tell\n");
}

TEST_F(TextDelivery, NamesTheSenderWhereBothSend) {
  small_.traffic.push_back({.from = 1, .to = 0});
  small_.traffic[0].delivery = Delivery{.lost = 0};
  small_.traffic[1].delivery = Delivery{.lost = 1, .loss_ratio = 1.0};
  small_.traffic[1].sent.messages = 1;
  EXPECT_EQ(Lines(),
            "  delivery of 64 B from near: all arrived, order not known\n"
            "  delivery of 64 B from far\\n: 1 of 1 lost (100 %), order not known\n");
}

}  // namespace
}  // namespace rdmabench::report
