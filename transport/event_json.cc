#include "transport/event_json.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "transport/error.h"
#include "transport/printable.h"

namespace rdmabench {
namespace {

constexpr std::size_t kLongestText = 4000;
constexpr std::size_t kLongestKey = 64;
constexpr std::size_t kMostFields = 32;
// Whoever reads the event knows better.
constexpr std::array<std::string_view, 6> kReserved = {"event", "text",    "time",
                                                       "peer",  "session", "pid"};

nlohmann::ordered_json FieldToJson(const EventField& field) {
  return std::visit(
      [](const auto& value) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
          return Printable(value, kLongestText);
        } else {
          return value;
        }
      },
      field.value);
}

nlohmann::ordered_json PlacedErrorToJson(const Error& error) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto add = [&json](std::string_view key, std::string_view text) {
    if (!text.empty()) json[std::string(key)] = Printable(text, kLongestText);
  };
  add("host", error.host());
  add("step", error.step());
  add("code", error.entry());
  add("message", error.what());
  add("remedy", error.remedy());
  return json;
}

[[noreturn]] void Refuse(const std::string& what) {
  throw Error(Blame::kRun, "it sent what is no event: " + what);
}

// Empty where there is none; throws where it is no text.
std::string TextOf(const nlohmann::json& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_string()) Refuse("its " + std::string(key) + " is no text");
  return Printable(found->get_ref<const std::string&>(), kLongestText);
}

EventKind KindOf(const nlohmann::json& json) {
  const std::string name = TextOf(json, "event");
  for (const EventRow& row : EventRows()) {
    if (row.of_session && row.name == name) return row.kind;
  }
  Refuse("'" + name + "' is none of a session's");
}

Error PlacedErrorFromJson(const nlohmann::json& json) {
  if (!json.is_object()) Refuse("its error is no object");
  Error error(Blame::kRun, TextOf(json, "message"), TextOf(json, "remedy"));
  return error.At(TextOf(json, "host"), TextOf(json, "step")).Of(TextOf(json, "code"));
}

EventField FieldFromJson(const std::string& key, const nlohmann::json& value) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (key.size() > kLongestKey || key.find_first_not_of(kAllowed) != std::string::npos) {
    Refuse("a key is '" + Printable(key, kLongestKey) + "'");
  }
  if (value.is_string()) {
    return {key, Printable(value.get_ref<const std::string&>(), kLongestText)};
  }
  if (value.is_number_unsigned()) return {key, value.get<std::uint64_t>()};
  if (value.is_number_float()) return {key, value.get<double>()};
  Refuse("its " + key + " is neither text nor number");
}

}  // namespace

nlohmann::ordered_json EventToJson(const Event& event) {
  nlohmann::ordered_json json = {{"event", NameOf(event.kind)}};
  if (!event.peer.empty()) json["peer"] = Printable(event.peer, kLongestText);
  for (const EventField& field : event.fields) json[field.key] = FieldToJson(field);
  if (event.error) json["error"] = PlacedErrorToJson(*event.error);
  json["text"] = Printable(event.text, kLongestText);
  return json;
}

Event SessionEventFromJson(const nlohmann::json& json) {
  if (!json.is_object()) Refuse("no object");
  Event event{.kind = KindOf(json), .peer = "", .text = TextOf(json, "text")};
  for (const auto& [key, value] : json.items()) {
    if (std::find(kReserved.begin(), kReserved.end(), key) != kReserved.end()) continue;
    if (key == "error") {
      event.error = PlacedErrorFromJson(value);
      continue;
    }
    if (event.fields.size() == kMostFields) Refuse("it has too many fields");
    event.fields.push_back(FieldFromJson(key, value));
  }
  return event;
}

}  // namespace rdmabench
