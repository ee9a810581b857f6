#include "bench/verification_json.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "bench/plan.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMost = ~std::uint64_t{0};
constexpr std::size_t kLongest = 64;

json BadMessageToJson(const report::BadMessage& bad) {
  json object = {{"queue_pair", bad.queue_pair},     {"message", bad.message},
                 {"offset_bytes", bad.offset_bytes}, {"expected_hex", bad.expected_hex},
                 {"found_hex", bad.found_hex},       {"finding", bad.finding}};
  if (bad.found_message) object["found_message"] = *bad.found_message;
  return object;
}

report::BadMessage BadMessageFromJson(JsonReader reader, std::uint32_t queue_pairs) {
  report::BadMessage bad;
  bad.queue_pair = static_cast<std::uint32_t>(reader.Number("queue_pair", 0, queue_pairs - 1));
  bad.message = reader.Number("message", 0, kMost);
  bad.offset_bytes = reader.Number("offset_bytes", 0, kMost);
  bad.expected_hex = reader.Text("expected_hex", kLongest);
  bad.found_hex = reader.Text("found_hex", kLongest);
  bad.finding = reader.Text("finding", kLongest);
  if (reader.Has("found_message")) bad.found_message = reader.Number("found_message", 0, kMost);
  reader.Done();
  return bad;
}

}  // namespace

json VerificationToJson(const report::Verification& verification) {
  json object = {{"seed", verification.seed},
                 {"in_timed_loop", verification.in_timed_loop},
                 {"checked_messages", verification.checked_messages},
                 {"bad_messages", verification.bad_messages},
                 {"missing_messages", verification.missing_messages}};
  if (verification.first_bad) object["first_bad"] = BadMessageToJson(*verification.first_bad);
  return object;
}

report::Verification VerificationFromJson(JsonReader reader, std::uint32_t queue_pairs) {
  report::Verification verification;
  verification.seed =
      static_cast<std::uint32_t>(reader.Number("seed", kVerifySeed.low, kVerifySeed.high));
  verification.in_timed_loop = reader.Flag("in_timed_loop");
  verification.checked_messages = reader.Number("checked_messages", 0, kMost);
  verification.bad_messages = reader.Number("bad_messages", 0, kMost);
  verification.missing_messages = reader.Number("missing_messages", 0, kMost);
  if (reader.Has("first_bad")) {
    verification.first_bad = BadMessageFromJson(reader.Object("first_bad"), queue_pairs);
  }
  reader.Done();
  return verification;
}

}  // namespace rdmabench
