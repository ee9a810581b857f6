#include "transport/json_mutator.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>

namespace rdmabench {
namespace {

using nlohmann::json;

const json& Document() {
  static const json document = {{"number", 7},
                                {"real", 2.5},
                                {"text", "a"},
                                {"flag", true},
                                {"null", nullptr},
                                {"list", {1, 2, 3}},
                                {"empty", json::array()},
                                {"object", {{"key", "b"}, {"other", 9}}}};
  return document;
}

void AppendX(std::string& text) { text += 'x'; }

// What becomes of the document with 2,000 seeds.
std::set<json> Mutants() {
  std::set<json> mutants;
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    std::minstd_rand random(seed);
    json document = Document();
    MutateJson(document, random, AppendX);
    mutants.insert(document);
  }
  return mutants;
}

template <typename Wanted>
bool Any(const std::set<json>& mutants, Wanted wanted) {
  for (const json& mutant : mutants) {
    if (mutant.is_object() && wanted(mutant)) return true;
  }
  return false;
}

TEST(JsonMutator, MakesManyDocuments) { EXPECT_GT(Mutants().size(), 1000U); }

TEST(JsonMutator, TheSameSeedMakesTheSame) { EXPECT_EQ(Mutants(), Mutants()); }

TEST(JsonMutator, ReachesEachKindOfChange) {
  const std::set<json> mutants = Mutants();
  const auto is = [](const char* key, const json& value) {
    return [=](const json& mutant) { return mutant.contains(key) && mutant[key] == value; };
  };
  EXPECT_TRUE(Any(mutants, is("number", 0)));
  EXPECT_TRUE(Any(mutants, is("number", ~std::uint64_t{0})));
  EXPECT_TRUE(Any(mutants, is("number", 8)));
  EXPECT_TRUE(Any(mutants, is("real", 5.0)));
  EXPECT_TRUE(Any(mutants, is("text", "ax")));
  EXPECT_TRUE(Any(mutants, is("flag", false)));
  EXPECT_TRUE(Any(mutants, is("list", {1, 2, 3, 1, 2, 3})));
  EXPECT_TRUE(Any(mutants, is("list", {1, 3})));
  EXPECT_TRUE(Any(mutants, is("list", {3, 2, 1})));
  EXPECT_TRUE(Any(mutants, is("object", {{"key", "b"}})));
  EXPECT_TRUE(Any(mutants, [](const json& mutant) { return mutant.contains("text_"); }));
  EXPECT_TRUE(Any(mutants, [](const json& mutant) {
    return mutant.contains("number") && mutant["number"].is_object();
  }));
}

TEST(JsonMutator, CrossesTwoDocuments) {
  const json other = {{"foreign", "part"}};
  std::set<json> crossed;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::minstd_rand random(seed);
    json document = Document();
    CrossJson(document, other, random);
    crossed.insert(document);
  }
  EXPECT_TRUE(crossed.contains(other));
  EXPECT_TRUE(Any(crossed, [](const json& mutant) {
    return mutant.contains("list") && mutant["list"] == "part";
  }));
}

// Arrays in each other, and an object in the innermost one.
std::string Nested(std::size_t levels) {
  return std::string(levels, '[') + R"({"key":1})" + std::string(levels, ']');
}

TEST(JsonMutator, ParsesWhatItCanChange) {
  for (const std::string& text : {std::string(R"({"list":[1,"a"]})"), Nested(63),
                                  '[' + Nested(62) + ",[1," + Nested(61) + "]]"}) {
    EXPECT_EQ(ParseToMutate(text).dump(), text);
  }
  for (const std::string& text :
       {std::string(), std::string("{"), Nested(64), Nested(100'000), std::string(100'000, '['),
        '[' + Nested(63) + ",1]", R"({"key":)" + Nested(63) + '}'}) {
    EXPECT_TRUE(ParseToMutate(text).is_discarded()) << text.substr(0, 100);
  }
}

TEST(JsonMutator, ChangesADeepDocument) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::minstd_rand random(seed);
    json document = ParseToMutate(Nested(63));
    MutateJson(document, random, AppendX);
    EXPECT_LE(document.dump().size(), 10'000U);
  }
}

TEST(JsonMutator, MakesDoOfAnything) {
  for (const json& start : {json(), json(1), json("text"), json::array(), json::object()}) {
    for (unsigned seed = 1; seed <= 100; ++seed) {
      std::minstd_rand random(seed);
      json document = start;
      for (int turn = 0; turn < 20; ++turn) MutateJson(document, random, AppendX);
      EXPECT_LT(document.size(), std::size_t{1} << 20U);
    }
  }
}

}  // namespace
}  // namespace rdmabench
