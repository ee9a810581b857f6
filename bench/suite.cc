#include "bench/suite.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/op.h"
#include "bench/plan.h"
#include "bench/test.h"
#include "transport/error.h"
#include "transport/json_reader.h"
#include "transport/printable.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestKeyShown = 60;
constexpr std::size_t kLongestComment = 4096;

// Fields whose value is a list in the plan, too.
constexpr std::string_view kListFields[] = {"message_bytes", "flow_labels", "rate_sweep",
                                            "percentiles"};

// Where a field stands in a test. The views are of the suite's own texts.
struct Place {
  std::string_view group;  // empty for a field of the test itself
  std::string_view key;
  bool operator==(const Place&) const = default;
  bool operator<(const Place& other) const {
    return std::tie(group, key) < std::tie(other.group, other.key);
  }
};
constexpr Place kTest{"", "test"};
constexpr Place kQpType{"queue", "qp_type"};

// A field with the values that it takes in turn; they live in the suite.
struct Field {
  std::string path;  // where it was written
  bool is_list = false;
  std::vector<const json*> values;

  std::string PathOf(std::size_t value) const {
    return is_list ? path + "[" + std::to_string(value) + "]" : path;
  }
};

using Fields = std::map<Place, Field>;

void Put(json& test, const Place& place, const json& value) {
  json& group = place.group.empty() ? test : test[std::string(place.group)];
  group[std::string(place.key)] = value;
}

// "tests[1].queue.qp_type"
std::string PathOf(const std::string& owner, const Place& place) {
  std::string path = owner + ".";
  if (!place.group.empty()) path += Printable(place.group, kLongestKeyShown) + ".";
  return path + Printable(place.key, kLongestKeyShown);
}

// Only the plan's reader knows the fields and their bounds, so it is asked about each value in a
// plan of nothing else. Its answer is told by the place in the suite. What it misses in such a plan
// as a whole is not the value's fault.
void CheckValue(const Place& place, const json& value, const std::string& owner,
                const std::string& path) {
  json test = json::object();
  Put(test, place, value);
  try {
    PlanFromJson({{"tests", json::array({test})}}, Blame::kUsage);
  } catch (const Error& error) {
    const std::string asked_owner = "plan.tests[0]";
    const std::string asked = PathOf(asked_owner, place);
    const std::string text = error.what();
    if (text.starts_with(asked)) {
      throw Error(Blame::kUsage, path + text.substr(asked.size()), error.remedy());
    }
    if (text.starts_with(asked_owner)) {
      throw Error(Blame::kUsage, owner + text.substr(asked_owner.size()), error.remedy());
    }
  }
}

// Whether `value` stands for its elements in turn.
bool IsListOfValues(const Place& place, const json& value) {
  // Groups are no fields, and what is asked about an empty list names what is allowed instead.
  if (!value.is_array() || value.empty() || (place.group.empty() && place != kTest)) return false;
  const bool is_list_field =
      std::find(std::begin(kListFields), std::end(kListFields), place.key) != std::end(kListFields);
  return !is_list_field || std::any_of(value.begin(), value.end(),
                                       [](const json& element) { return element.is_array(); });
}

Field ReadField(const Place& place, const json& value, const std::string& owner) {
  Field field;
  field.path = PathOf(owner, place);
  field.is_list = IsListOfValues(place, value);
  if (!field.is_list) {
    field.values = {&value};
  } else if (value.size() > kMostTests) {
    throw Error(Blame::kUsage,
                field.path + " is a list of " + std::to_string(value.size()) +
                    ", allowed are lists of up to " + std::to_string(kMostTests),
                "split it over several tests, or over several suites");
  } else {
    for (const json& element : value) field.values.push_back(&element);
  }
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    CheckValue(place, *field.values[i], owner, field.PathOf(i));
  }
  return field;
}

// The fields of a test, or of the defaults.
Fields ReadFields(const json& object, const std::string& path) {
  const JsonReader must_be_an_object(object, path, Blame::kUsage);
  Fields fields;
  const auto read = [&](const Place& place, const json& value) {
    fields.emplace(place, ReadField(place, value, path));
  };
  for (auto member = object.begin(); member != object.end(); ++member) {
    const Place place{"", member.key()};
    if (!member->is_object()) {
      read(place, *member);
      continue;
    }
    CheckValue(place, json::object(), path, PathOf(path, place));
    for (auto inner = member->begin(); inner != member->end(); ++inner) {
      read({member.key(), inner.key()}, *inner);
    }
  }
  return fields;
}

Fields ReadDefaults(const json& suite) {
  if (!suite.contains("defaults")) return {};
  const json& defaults = suite["defaults"];
  if (defaults.is_object() && defaults.contains("test")) {
    throw Error(Blame::kUsage, "defaults has an unknown key 'test'", "let each test name its own");
  }
  return ReadFields(defaults, "defaults");
}

// The row that find(name) returns; what it says of an unknown name is told with the place.
template <class Row>
const Row* Find(const Row& (*find)(std::string_view), const Field& field, std::size_t value) {
  try {
    return &find(field.values[value]->get_ref<const std::string&>());
  } catch (Error& error) {
    error.Precede(field.PathOf(value));
    throw;
  }
}

// Numbers that would get beyond it stay there.
constexpr std::uint64_t kSaturated = std::numeric_limits<std::uint64_t>::max();
std::uint64_t Product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kSaturated / b ? kSaturated : a * b;
}
std::uint64_t Sum(std::uint64_t a, std::uint64_t b) {
  return a > kSaturated - b ? kSaturated : a + b;
}

// All combinations that one test of the suite stands for. A pair is one of a test's name and a
// queue pair type; each goes with all combinations of the other fields.
class Matrix {
 public:
  Matrix(const json& test, const Fields& defaults, const std::string& path);

  std::uint64_t pairs() const { return tests_.size() * types_.size(); }
  bool IsLegal(std::uint64_t pair) const {
    return rdmabench::IsLegal(*TestOf(pair).op, TypeOf(pair));
  }
  [[noreturn]] void Refuse(std::uint64_t pair) const;
  std::uint64_t combinations_of_a_pair() const { return others_; }
  json At(std::uint64_t combination) const;

 private:
  const Test& TestOf(std::uint64_t pair) const { return *tests_[pair / types_.size()]; }
  const QpType& TypeOf(std::uint64_t pair) const { return *types_[pair % types_.size()]; }

  std::string path_;
  std::vector<std::pair<Place, Field>> fields_;  // the first varies slowest
  std::vector<const Test*> tests_;               // of the first field's values
  std::vector<const QpType*> types_;             // of the second one's, or the default
  std::uint64_t others_ = 1;
};

Matrix::Matrix(const json& test, const Fields& defaults, const std::string& path) : path_(path) {
  Fields fields = ReadFields(test, path);
  if (!fields.contains(kTest)) {
    throw Error(Blame::kUsage, path + ".test is missing",
                "name the test that is run, such as \"test\": \"write_bw\"");
  }
  fields.insert(defaults.begin(), defaults.end());  // keeps those that are there
  for (const Place& place : {kTest, kQpType}) {
    const auto found = fields.find(place);
    if (found == fields.end()) continue;
    fields_.emplace_back(*found);
    fields.erase(found);
  }
  for (std::size_t i = 0; i < fields_[0].second.values.size(); ++i) {
    tests_.push_back(Find(FindTest, fields_[0].second, i));
  }
  if (fields_.size() == 1) {
    types_.push_back(&FindQpType(QueueOptions{}.qp_type));
  } else {
    for (std::size_t i = 0; i < fields_[1].second.values.size(); ++i) {
      types_.push_back(Find(FindQpType, fields_[1].second, i));
    }
  }
  for (const auto& other : fields) {
    others_ = Product(others_, other.second.values.size());
    fields_.emplace_back(other);
  }
}

void Matrix::Refuse(std::uint64_t pair) const {
  const Field& test = fields_[0].second;
  const bool has_type = fields_.size() > 1 && fields_[1].first == kQpType;
  const std::string type_path =
      has_type ? fields_[1].second.PathOf(pair % types_.size()) : path_ + ".queue.qp_type";
  throw Error(Blame::kUsage,
              type_path + " is " + std::string(TypeOf(pair).name) + ", which does not go with " +
                  TestOf(pair).name + " in " + test.PathOf(pair / types_.size()),
              "legal queue pair types for it: " + std::string(TestOf(pair).op->qp_types) +
                  "; \"skip_illegal\": true leaves the others out");
}

json Matrix::At(std::uint64_t combination) const {
  json test = json::object();
  for (std::size_t i = fields_.size(); i-- > 0;) {
    const auto& [place, field] = fields_[i];
    Put(test, place, *field.values[combination % field.values.size()]);
    combination /= field.values.size();
  }
  return test;
}

struct Count {
  std::uint64_t legal = 0;
  std::uint64_t illegal = 0;
};

Count CountOf(const std::vector<Matrix>& matrices, bool skip_illegal) {
  Count count;
  for (const Matrix& matrix : matrices) {
    for (std::uint64_t pair = 0; pair < matrix.pairs(); ++pair) {
      const bool is_legal = matrix.IsLegal(pair);
      if (!is_legal && !skip_illegal) matrix.Refuse(pair);
      std::uint64_t& sum = is_legal ? count.legal : count.illegal;
      sum = Sum(sum, matrix.combinations_of_a_pair());
    }
  }
  return count;
}

void CheckCount(const Count& count) {
  if (count.legal == 0) {
    throw Error(Blame::kUsage, "tests has no legal combination of test and queue.qp_type",
                "list a type that goes with one of the tests");
  }
  if (count.legal > kMostTests) {
    const std::string bound = count.legal == kSaturated ? "at least " : "";
    throw Error(Blame::kUsage,
                "tests stands for " + bound + std::to_string(count.legal) +
                    " tests, allowed are up to " + std::to_string(kMostTests),
                "shorten a list, or make several suites of it");
  }
}

std::vector<Matrix> ReadTests(const json& suite) {
  const Fields defaults = ReadDefaults(suite);
  const json& tests = suite["tests"];
  std::vector<Matrix> matrices;
  for (const json& test : tests) {
    matrices.emplace_back(test, defaults, "tests[" + std::to_string(matrices.size()) + "]");
  }
  return matrices;
}

}  // namespace

json ExpandSuite(const json& suite, std::uint64_t* left_out) {
  JsonReader reader(suite, "", Blame::kUsage);
  for (const char* key : {"name", "comment"}) {
    if (reader.Has(key)) reader.Text(key, kLongestComment);
  }
  const bool skip_illegal = reader.Has("skip_illegal") && reader.Flag("skip_illegal");
  reader.Has("defaults");
  reader.Has("tests");
  const bool has_remote = reader.Has("remote");
  reader.Done();
  if (reader.Objects("tests", kMostTests).empty()) {
    throw Error(Blame::kUsage, "tests is an empty list", "name a test");
  }

  const std::vector<Matrix> matrices = ReadTests(suite);
  const Count count = CountOf(matrices, skip_illegal);
  CheckCount(count);
  json tests = json::array();
  for (const Matrix& matrix : matrices) {
    const std::uint64_t others = matrix.combinations_of_a_pair();
    for (std::uint64_t pair = 0; pair < matrix.pairs(); ++pair) {
      if (!matrix.IsLegal(pair)) continue;
      for (std::uint64_t i = 0; i < others; ++i) tests.push_back(matrix.At(pair * others + i));
    }
  }
  if (left_out != nullptr) *left_out = count.illegal;
  json plan = {{"tests", std::move(tests)}};
  if (has_remote) plan["remote"] = suite["remote"];
  return plan;
}

}  // namespace rdmabench
