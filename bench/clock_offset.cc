#include "bench/clock_offset.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "transport/json_reader.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::size_t kExchanges = 16;
constexpr std::uint64_t kLatestNs = std::uint64_t{1} << 62;
constexpr const char* kAwaited = "its part of the comparison of the clocks";

std::uint64_t RoundTrip(const ClockExchange& exchange) { return exchange.heard - exchange.asked; }

}  // namespace

report::ClockOffset OffsetOf(std::span<const ClockExchange> exchanges) {
  const ClockExchange& best = *std::min_element(
      exchanges.begin(), exchanges.end(), [](const ClockExchange& one, const ClockExchange& other) {
        return RoundTrip(one) < RoundTrip(other);
      });
  const double half_ns = static_cast<double>(RoundTrip(best)) / 2.0;
  // As a difference of whole numbers first: doubles do not hold nanoseconds since boot exactly.
  const auto apart_ns = static_cast<double>(static_cast<std::int64_t>(best.answered - best.asked));
  return {.seconds = (apart_ns - half_ns) * 1e-9, .error_seconds = half_ns * 1e-9};
}

std::optional<report::ClockOffset> CompareClocks(Session& session, Role role,
                                                 const std::function<std::uint64_t()>& now,
                                                 Deadline deadline) {
  std::array<ClockExchange, kExchanges> exchanges;
  for (ClockExchange& exchange : exchanges) {
    if (role == Role::kServer) {
      session.Receive("clock", deadline, kAwaited);
      session.Send("clock", {{"ns", now()}});
      continue;
    }
    exchange.asked = now();
    session.Send("clock", json::object());
    const json body = session.Receive("clock", deadline, kAwaited);
    exchange.heard = now();
    JsonReader reader(body, "clock");
    exchange.answered = reader.Number("ns", 0, kLatestNs);
    reader.Done();
  }
  if (role == Role::kServer) return std::nullopt;
  return OffsetOf(exchanges);
}

}  // namespace rdmabench
