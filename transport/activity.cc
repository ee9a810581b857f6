#include "transport/activity.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "transport/json_reader.h"

namespace rdmabench {
namespace {

constexpr std::size_t kLongestStep = 100;

}  // namespace

nlohmann::json ActivityToJson(const Activity& activity) {
  nlohmann::json body = nlohmann::json::object();
  if (!activity.step.empty()) body["step"] = activity.step;
  if (activity.messages) body["messages"] = *activity.messages;
  return body;
}

Activity ActivityFromJson(const nlohmann::json& body) {
  JsonReader reader(body, "heartbeat");
  Activity activity;
  if (reader.Has("step")) activity.step = reader.Text("step", kLongestStep);
  if (reader.Has("messages")) {
    activity.messages = reader.Number("messages", 0, ~std::uint64_t{0});
  }
  reader.Done();
  return activity;
}

std::string LastHeard(Deadline::duration ago, const Activity& activity) {
  using Hundredths = std::chrono::duration<std::int64_t, std::centi>;
  std::string words =
      "last heard " +
      InSeconds(std::chrono::round<Hundredths>(std::max(ago, Deadline::duration::zero()))) + " ago";
  if (!activity.step.empty()) words += ", while " + activity.step;
  if (activity.messages) words += " (" + std::to_string(*activity.messages) + " messages)";
  return words;
}

}  // namespace rdmabench
