#include "report/json_failure.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace rdmabench::report {
namespace {

using Json = nlohmann::ordered_json;

// Of a Failure or a Reason: all but the message may be empty.
template <class T>
Json ReasonJson(const T& reason) {
  Json object = Json::object();
  const auto put = [&object](const char* key, const std::string& text) {
    if (!text.empty()) object[key] = text;
  };
  put("host", reason.host);
  put("step", reason.step);
  put("code", reason.code);
  object["message"] = reason.message;
  put("remedy", reason.remedy);
  return object;
}

}  // namespace

Json FailureJson(const Failure& failure) {
  Json object = ReasonJson(failure);
  if (failure.peer) object["peer"] = ReasonJson(*failure.peer);
  return object;
}

Json TestFailureJson(const TestFailure& failure) {
  return {{"plan_index", failure.plan_index},
          {"test", failure.test},
          {"error", FailureJson(failure.error)}};
}

}  // namespace rdmabench::report
