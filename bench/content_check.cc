#include "bench/content_check.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace rdmabench {
namespace {

// "message 4 of queue pair 0 on the server from byte 32 on: expected 0x1f…, found 0x1e…: one bit
// differs"
std::string Text(const report::BadMessage& bad) {
  struct Words {
    std::string_view finding, words;
  };
  constexpr Words kWords[] = {
      {"missing", "nothing has arrived"},
      {"truncated", "the rest has not arrived"},
      {"other_message", "it is another message's"},
      {"bit_flipped", "one bit differs"},
      {"miscounted", "operations were carried out too often, or not at all"},
  };
  std::string text = "message " + std::to_string(bad.message) + " of queue pair " +
                     std::to_string(bad.queue_pair) + ", seen by the " +
                     (bad.host == 0 ? "client" : "server") + ", from byte " +
                     std::to_string(bad.offset_bytes) + " on";
  if (!bad.expected_hex.empty()) {
    text += ": expected " + bad.expected_hex + ", found " + bad.found_hex;
  }
  for (const Words& row : kWords) {
    if (bad.finding == row.finding) text += ": " + std::string(row.words);
  }
  if (bad.found_message) text += " (" + std::to_string(*bad.found_message) + ")";
  return text;
}

}  // namespace

std::optional<report::Check> ContentAsSent(const report::Result& result, bool may_lose) {
  const std::optional<report::Verification>& verification = result.verification;
  if (!verification) return std::nullopt;
  std::uint64_t messages = 0;
  for (const report::Direction& direction : result.traffic) messages += direction.sent.messages;
  const bool all = may_lose || verification->checked_messages >= messages;
  report::Check check{
      .name = kContentCheck,
      .ok = verification->bad_messages == 0 && all,
      .figures = {{"sent_messages", static_cast<double>(messages)},
                  {"checked_messages", static_cast<double>(verification->checked_messages)},
                  {"bad_messages", static_cast<double>(verification->bad_messages)}},
      .text = {}};
  if (verification->first_bad) {
    check.text = Text(*verification->first_bad);
  } else if (!check.ok) {
    check.text = "not every message was looked at";
  }
  return check;
}

}  // namespace rdmabench
