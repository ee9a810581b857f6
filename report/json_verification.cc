#include "report/json_verification.h"

#include <nlohmann/json.hpp>

namespace rdmabench::report {
namespace {

nlohmann::ordered_json BadMessageJson(const BadMessage& bad) {
  nlohmann::ordered_json object = {{"host", bad.host},
                                   {"queue_pair", bad.queue_pair},
                                   {"message", bad.message},
                                   {"offset_bytes", bad.offset_bytes}};
  if (!bad.expected_hex.empty()) object["expected_hex"] = bad.expected_hex;
  if (!bad.found_hex.empty()) object["found_hex"] = bad.found_hex;
  object["finding"] = bad.finding;
  if (bad.found_message) object["found_message"] = *bad.found_message;
  return object;
}

}  // namespace

nlohmann::ordered_json VerificationJson(const Verification& verification) {
  nlohmann::ordered_json object = {{"seed", verification.seed},
                                   {"in_timed_loop", verification.in_timed_loop},
                                   {"checked_messages", verification.checked_messages},
                                   {"bad_messages", verification.bad_messages},
                                   {"missing_messages", verification.missing_messages}};
  if (verification.first_bad) object["first_bad"] = BadMessageJson(*verification.first_bad);
  return object;
}

}  // namespace rdmabench::report
