#include "transport/json_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "transport/hex.h"
#include "transport/nearest.h"
#include "transport/printable.h"

namespace rdmabench {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kLongestShown = 60;

// Builds the value while the text is parsed, so that what is refused is never built. (A callback of
// the library's own builder comes too late: duplicate keys have been merged by then.)
class Builder {
 public:
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  explicit Builder(std::size_t most_values) : most_values_(most_values) {}

  bool null() { return Add(Json()) != nullptr; }
  bool boolean(bool value) { return Add(Json(value)) != nullptr; }
  bool number_integer(number_integer_t value) { return Add(Json(value)) != nullptr; }
  bool number_unsigned(number_unsigned_t value) { return Add(Json(value)) != nullptr; }
  bool number_float(number_float_t value, const string_t& /*text*/) {
    return Add(Json(value)) != nullptr;
  }
  bool string(string_t& value) { return Add(Json(std::move(value))) != nullptr; }
  bool binary(binary_t& /*value*/) { return Fail("binary data"); }
  bool start_object(std::size_t /*elements*/) { return Open(Json::object()); }
  bool start_array(std::size_t /*elements*/) { return Open(Json::array()); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }

  bool key(string_t& name) {
    if (open_.back()->contains(name)) {
      return Fail("the key '" + Printable(name, kLongestShown) + "' stands there twice");
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) {
    // "[json.exception.parse_error.101] parse error at …: words" loses its first part, which is for
    // programmers.
    const std::string_view words = error.what();
    const std::size_t end = words.find("] ");
    Fail(std::string(end == std::string_view::npos ? words : words.substr(end + 2)));
    position_ = position;
    return false;
  }

  Json Take() { return std::move(root_).value(); }
  const std::string& problem() const { return problem_; }
  std::optional<std::size_t> position() const { return position_; }

 private:
  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  Json* Add(Json value) {
    if (++values_ > most_values_) {
      Fail("it has more than " + std::to_string(most_values_) + " values");
      return nullptr;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_.value();
    }
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool Open(Json value) {
    if (open_.size() >= kDeepest) {
      return Fail("it is nested more than " + std::to_string(kDeepest) + " levels deep");
    }
    Json* added = Add(std::move(value));
    if (added == nullptr) return false;
    open_.push_back(added);  // stays valid: a container moves only when a sibling is added after it
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  const std::size_t most_values_;
  std::optional<Json> root_;
  std::vector<Json*> open_;
  string_t key_;
  std::size_t values_ = 0;
  std::string problem_;
  std::optional<std::size_t> position_;
};

// Pure ASCII, escaped by the library.
std::string Shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  return Printable(value.dump(-1, ' ', true, Json::error_handler_t::replace), kLongestShown);
}

std::string Range(const std::string& low, const std::string& high) { return low + " to " + high; }

std::string RealText(double value) { return Json(value).dump(); }

}  // namespace

Json ParseJson(std::string_view text, std::string_view what, Blame blame, std::size_t most_values) {
  Builder builder(most_values);
  if (Json::sax_parse(text, &builder)) return builder.Take();
  std::string message = std::string(what) + " is not acceptable JSON";
  if (builder.position()) message += " at byte " + std::to_string(*builder.position());
  throw Error(blame, message + ": " + Printable(builder.problem(), 200));
}

JsonReader::JsonReader(const Json& object, std::string path, Blame blame)
    : object_(&object), path_(std::move(path)), blame_(blame) {
  if (!object.is_object()) {
    RefuseValue(path_.empty() ? "the document" : path_, object, "objects only");
  }
}

std::string JsonReader::PathOf(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void JsonReader::Refuse(const std::string& message) const { throw Error(blame_, message); }

void JsonReader::RefuseValue(const std::string& path, const Json& given,
                             const std::string& allowed) const {
  Refuse(path + " is " + Shown(given) + ", allowed are " + allowed);
}

bool JsonReader::Has(std::string_view key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
  return object_->contains(key);
}

const Json& JsonReader::Raw(std::string_view key) {
  if (!Has(key)) Refuse(PathOf(key) + " is missing");
  return *object_->find(key);
}

std::uint64_t JsonReader::NumberIn(const Json& value, const std::string& path, std::uint64_t low,
                                   std::uint64_t high) const {
  // get<>() would wrap -1 and cut 2.9 without a word. (A whole number that was not parsed but set
  // may be signed.)
  if (value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0)) {
    const auto number = value.get<std::uint64_t>();
    if (number >= low && number <= high) return number;
  }
  RefuseValue(path, value,
              "whole numbers from " + Range(std::to_string(low), std::to_string(high)));
}

double JsonReader::RealIn(const Json& value, const std::string& path, double low,
                          double high) const {
  if (value.is_number()) {
    const auto number = value.get<double>();
    if (number >= low && number <= high) return number;
  }
  RefuseValue(path, value, "numbers from " + Range(RealText(low), RealText(high)));
}

std::string JsonReader::TextIn(const Json& value, const std::string& path,
                               std::size_t longest) const {
  if (!value.is_string()) RefuseValue(path, value, "texts only");
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > longest) {
    Refuse(path + " is a text of " + std::to_string(text.size()) + " bytes, allowed are up to " +
           std::to_string(longest));
  }
  if (Printable(text, text.size()) != text) RefuseValue(path, value, "printable characters only");
  return text;
}

const Json& JsonReader::List(std::string_view key, std::size_t most) {
  const Json& list = Raw(key);
  if (!list.is_array() || list.size() > most) {
    RefuseValue(PathOf(key), list, "lists of up to " + std::to_string(most));
  }
  return list;
}

std::uint64_t JsonReader::Number(std::string_view key, std::uint64_t low, std::uint64_t high) {
  return NumberIn(Raw(key), PathOf(key), low, high);
}

double JsonReader::Real(std::string_view key, double low, double high) {
  return RealIn(Raw(key), PathOf(key), low, high);
}

std::vector<double> JsonReader::Reals(std::string_view key, double low, double high,
                                      std::size_t most) {
  std::vector<double> numbers;
  for (const Json& value : List(key, most)) {
    const std::string path = PathOf(key) + "[" + std::to_string(numbers.size()) + "]";
    numbers.push_back(RealIn(value, path, low, high));
  }
  return numbers;
}

bool JsonReader::Flag(std::string_view key) {
  const Json& value = Raw(key);
  if (!value.is_boolean()) RefuseValue(PathOf(key), value, "true and false");
  return value.get<bool>();
}

std::string JsonReader::Text(std::string_view key, std::size_t longest) {
  return TextIn(Raw(key), PathOf(key), longest);
}

std::string JsonReader::Hex(std::string_view key, std::size_t bytes) {
  const Json& value = Raw(key);
  if (!value.is_string() || !IsHex(value.get_ref<const std::string&>(), bytes)) {
    RefuseValue(PathOf(key), value, std::to_string(2 * bytes) + " hexadecimal digits");
  }
  return value.get<std::string>();
}

std::vector<std::uint64_t> JsonReader::Numbers(std::string_view key, std::uint64_t low,
                                               std::uint64_t high, std::size_t most) {
  std::vector<std::uint64_t> numbers;
  for (const Json& value : List(key, most)) {
    const std::string path = PathOf(key) + "[" + std::to_string(numbers.size()) + "]";
    numbers.push_back(NumberIn(value, path, low, high));
  }
  return numbers;
}

std::vector<std::string> JsonReader::Texts(std::string_view key, std::size_t most,
                                           std::size_t longest) {
  std::vector<std::string> texts;
  for (const Json& value : List(key, most)) {
    const std::string path = PathOf(key) + "[" + std::to_string(texts.size()) + "]";
    texts.push_back(TextIn(value, path, longest));
  }
  return texts;
}

JsonReader JsonReader::Object(std::string_view key) {
  return JsonReader(Raw(key), PathOf(key), blame_);
}

std::vector<JsonReader> JsonReader::Objects(std::string_view key, std::size_t most) {
  std::vector<JsonReader> objects;
  for (const Json& value : List(key, most)) {
    const std::string path = PathOf(key) + "[" + std::to_string(objects.size()) + "]";
    objects.emplace_back(value, path, blame_);
  }
  return objects;
}

void JsonReader::Done() const {
  const std::vector<std::string_view> known(asked_.begin(), asked_.end());
  for (const auto& [key, value] : object_->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string remedy;
    for (const std::string_view name : known) {
      remedy += (remedy.empty() ? "known keys: " : ", ") + std::string(name);
    }
    throw Error(blame_,
                (path_.empty() ? "the document" : path_) + " has an unknown key '" +
                    Printable(key, kLongestShown) + "'" + DidYouMean(key, known),
                remedy);
  }
}

}  // namespace rdmabench
