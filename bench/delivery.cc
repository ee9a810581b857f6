#include "bench/delivery.h"

#include <algorithm>
#include <cstdint>

namespace rdmabench {

std::optional<report::Delivery> DeliveryOf(const Test& test, const QpType& type,
                                           const report::Direction& direction,
                                           const std::optional<report::Arrivals>& arrivals) {
  if (!type.loses || test.metric != Metric::kBandwidth) return std::nullopt;
  report::Delivery delivery;
  if (!direction.received) return delivery;
  delivery.arrivals = arrivals;
  const std::uint64_t sent = direction.sent.messages;
  const std::uint64_t received = direction.received->messages;
  // Late ones are taken for first arrivals.
  const std::uint64_t twice = arrivals ? std::min(arrivals->duplicated, received) : 0;
  delivery.lost = sent - std::min(received - twice, sent);
  const auto lost = static_cast<double>(*delivery.lost);
  delivery.loss_ratio = sent == 0 ? 0.0 : lost / static_cast<double>(sent);
  return delivery;
}

}  // namespace rdmabench
