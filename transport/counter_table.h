// What the drivers' counters mean: one row a counter.
#pragma once

#include <span>
#include <string_view>

namespace rdmabench {

enum class CounterKind {
  kPacketsSent,
  kPacketsReceived,
  kError,       // moves when something was lost, resent, refused or broken
  kCongestion,  // moves when the fabric slows a sender down
};

struct CounterMeaning {
  std::string_view driver;  // as sysfs names it, "rdma_rxe", and what follows a dot left out;
                            // empty: of every driver
  std::string_view name;    // "out_of_sequence"
  CounterKind kind;
  std::string_view words;  // "packets that came before an earlier one"

  bool CountsPackets() const {
    return kind == CounterKind::kPacketsSent || kind == CounterKind::kPacketsReceived;
  }
};

std::span<const CounterMeaning> CounterTable();
// The driver's own meaning, else that of every driver; null for one that the table has not.
const CounterMeaning* FindCounter(std::string_view driver, std::string_view name);

}  // namespace rdmabench
