// What counters of ports, interfaces and queueing disciplines mean: one row a counter.
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
  // Of the RDMA device as sysfs names it, and what follows a dot left out: "rdma_rxe"; of irdma and
  // bnxt_re that of the function below them, "ice" and "bnxt_en". Empty: of every driver.
  std::string_view driver;
  // "out_of_sequence". '#' stands for a digit: of a priority.
  std::string_view name;
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
