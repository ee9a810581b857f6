#include "report/text_delivery.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "report/text_phrase.h"
#include "report/text_quantity.h"

namespace rdmabench::report {
namespace {

std::string Text(std::uint64_t number) { return std::to_string(number); }

std::string OrderOf(const Arrivals& arrivals) {
  if (arrivals.duplicated + arrivals.reordered + arrivals.late == 0) {
    return ", none twice, none out of order";
  }
  std::string text;
  if (arrivals.duplicated > 0) text += ", " + Text(arrivals.duplicated) + " twice";
  if (arrivals.reordered > 0) {
    text += ", " + Text(arrivals.reordered) + " out of order by up to " +
            Text(arrivals.furthest_behind);
  }
  if (arrivals.late > 0) text += ", " + Text(arrivals.late) + " too late to tell";
  return text;
}

std::string Sentence(const Direction& direction) {
  const Delivery& delivery = *direction.delivery;
  if (!delivery.lost) return "not known, a WRITE leaves no trace at its target";
  const std::string lost =
      *delivery.lost == 0 ? "all arrived"
                          : Text(*delivery.lost) + " of " + Text(direction.sent.messages) +
                                " lost (" + Significant(delivery.loss_ratio * 100.0, 3) + " %)";
  return lost + (delivery.arrivals ? OrderOf(*delivery.arrivals) : ", order not known");
}

}  // namespace

std::string DeliveryLines(const Report& report, std::span<const Result* const> results) {
  std::vector<std::pair<std::string, std::string>> lines;  // of what, and what
  for (const Result* result : results) {
    for (const Direction& direction : result->traffic) {
      if (!direction.delivery) continue;
      std::string of = Text(result->message_bytes) + " B";
      if (result->traffic.size() > 1) of += " from " + HostName(report, direction.from);
      lines.emplace_back(std::move(of), Sentence(direction));
    }
  }
  if (lines.empty()) return {};
  const bool are_alike = std::all_of(lines.begin(), lines.end(), [&](const auto& line) {
    return line.second == lines.front().second;
  });
  if (are_alike) return "  delivery: " + lines.front().second + "\n";
  std::string text;
  for (const auto& [of, what] : lines) {
    text.append("  delivery of ").append(of).append(": ").append(what).append("\n");
  }
  return text;
}

}  // namespace rdmabench::report
