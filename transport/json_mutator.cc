#include "transport/json_mutator.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace rdmabench {
namespace {

using nlohmann::json;

// Each change at most doubles them.
constexpr int kMostLevels = 64;
constexpr unsigned kMostChanges = 4;
constexpr std::size_t kMostValues = 1000;

std::size_t Below(std::size_t bound, std::minstd_rand& random) { return random() % bound; }

void Gather(json& value, std::vector<json*>& places) {
  if (places.size() >= kMostValues) return;
  places.push_back(&value);
  if (value.is_structured()) {
    for (json& child : value) Gather(child, places);
  }
}

json& AnyPlace(json& document, std::minstd_rand& random) {
  std::vector<json*> places;
  Gather(document, places);
  return *places[Below(places.size(), random)];
}

json AnyPart(const json& document, std::minstd_rand& random) {
  json copy = document;
  return AnyPlace(copy, random);
}

// Where types end, and where doubles and 32-bit numbers stop being exact.
json EdgeNumber(std::minstd_rand& random) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  constexpr std::array<std::uint64_t, 12> kEdges = {0,
                                                    1,
                                                    2,
                                                    std::uint64_t{1} << 15U,
                                                    std::uint64_t{1} << 16U,
                                                    std::uint64_t{1} << 31U,
                                                    std::uint64_t{1} << 32U,
                                                    std::uint64_t{1} << 53U,
                                                    std::uint64_t{1} << 63U,
                                                    kMost,
                                                    10000,
                                                    100};
  constexpr std::array kReals = {2.9, -1.0, -0.0, 0.1, 1e15, 1e19, 1e308, 5e-324};
  if (Below(4, random) == 0) return kReals[Below(kReals.size(), random)];
  const std::uint64_t edge = kEdges[Below(kEdges.size(), random)] + Below(3, random) - 1;
  if (Below(8, random) == 0) return -static_cast<std::int64_t>(edge >> 1U);
  return edge;
}

json NearNumber(const json& number, std::minstd_rand& random) {
  if (number.is_number_float()) return number.get<double>() * (Below(2, random) == 0 ? 0.5 : 2);
  const auto value = number.get<std::uint64_t>();
  const std::array<std::uint64_t, 5> near = {value + 1, value - 1, 2 * value, value / 2,
                                             value ^ (std::uint64_t{1} << Below(64, random))};
  return near[Below(near.size(), random)];
}

json AnyOtherType(std::minstd_rand& random) {
  const std::array<json, 7> values = {
      nullptr, false, true, "", json::array(), json::object(), EdgeNumber(random)};
  return values[Below(values.size(), random)];
}

void MutateArray(json& array, std::minstd_rand& random) {
  const auto at = static_cast<std::ptrdiff_t>(Below(array.size(), random));
  switch (Below(4, random)) {
    case 0:
      array.erase(array.begin() + at);
      return;
    case 1:
      std::swap(array[static_cast<std::size_t>(at)], array.back());
      return;
    case 2:
      array.insert(array.begin() + at, json(array[static_cast<std::size_t>(at)]));
      return;
    default:
      for (const json& element : json(array)) array.push_back(element);
  }
}

void MutateObject(json& object, std::minstd_rand& random) {
  auto field = object.begin();
  std::advance(field, Below(object.size(), random));
  switch (Below(3, random)) {
    case 0:
      object.erase(field);
      return;
    case 1:
      object[field.key() + "_"] = json(*field);
      return;
    default: {
      auto other = object.begin();
      std::advance(other, Below(object.size(), random));
      std::swap(*field, *other);
    }
  }
}

void MutateValue(json& value, std::minstd_rand& random, const TextMutator& mutate_text) {
  if (value.is_number()) {
    value = Below(2, random) == 0 ? EdgeNumber(random) : NearNumber(value, random);
  } else if (value.is_string()) {
    mutate_text(value.get_ref<std::string&>());
  } else if (value.is_boolean()) {
    value = !value.get<bool>();
  } else if (value.is_array() && !value.empty()) {
    MutateArray(value, random);
  } else if (value.is_object() && !value.empty()) {
    MutateObject(value, random);
  } else {
    value = AnyOtherType(random);
  }
}

}  // namespace

json ParseToMutate(std::string_view text) {
  bool is_too_deep = false;
  // The parser itself does not call itself. What is refused is left out of the document.
  const auto keep = [&is_too_deep](int levels_above, json::parse_event_t event, const json&) {
    using Event = json::parse_event_t;
    const bool opens = event == Event::array_start || event == Event::object_start;
    is_too_deep = is_too_deep || (opens && levels_above >= kMostLevels);
    return !is_too_deep;
  };
  json document = json::parse(text, keep, /*allow_exceptions=*/false);
  return is_too_deep ? json(json::value_t::discarded) : document;
}

void MutateJson(json& document, std::minstd_rand& random, const TextMutator& mutate_text) {
  for (std::size_t changes = 1 + Below(kMostChanges, random); changes > 0; --changes) {
    json& place = AnyPlace(document, random);
    switch (Below(16, random)) {
      case 0:
        place = AnyOtherType(random);
        break;
      case 1:
        place = AnyPart(document, random);
        break;
      default:
        MutateValue(place, random, mutate_text);
    }
  }
}

void CrossJson(json& document, const json& other, std::minstd_rand& random) {
  AnyPlace(document, random) = AnyPart(other, random);
}

}  // namespace rdmabench
