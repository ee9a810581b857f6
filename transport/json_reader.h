// Reads JSON that somebody else wrote. Every byte is hostile until this file has looked at it:
// nesting is limited while parsing, numbers are checked for range and integrality, unknown keys are
// refused by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "transport/error.h"

namespace rdmabench {

// A value takes up to 50 times the bytes of its text; this bounds what a frame of 16 MiB can make
// of our memory.
inline constexpr std::size_t kMostJsonValues = 1'000'000;

// Parses `text`; throws Error(blame) naming `what` and the byte where it fails. Nesting beyond 32
// levels, more values than that, duplicate keys and invalid UTF-8 are refused before anything
// is built of them.
nlohmann::json ParseJson(std::string_view text, std::string_view what, Blame blame = Blame::kRun,
                         std::size_t most_values = kMostJsonValues);

// Reads the fields of one object and remembers which were asked for. Error texts name the path, for
// instance "plan.tests[0].queue.depth is 0, allowed are 1 to 16384".
//
//   JsonReader reader(json, "peer");
//   info.lid = reader.Number("lid", 0, 65535);
//   reader.Done();                        // refuses keys that nobody asked for, with the nearest
//   known one
class JsonReader {
 public:
  // `object` must outlive the reader. Throws Error(blame) when it is not an object.
  JsonReader(const nlohmann::json& object, std::string path, Blame blame = Blame::kRun);

  bool Has(std::string_view key);

  // Each throws Error(blame) when the field is missing, of another type, or beyond its bounds.
  // Texts with control characters are refused, too: what passes here may be printed.
  std::uint64_t Number(std::string_view key, std::uint64_t low, std::uint64_t high);
  double Real(std::string_view key, double low, double high);
  std::vector<double> Reals(std::string_view key, double low, double high, std::size_t most);
  bool Flag(std::string_view key);
  std::string Text(std::string_view key, std::size_t longest = 256);
  // So many bytes as hexadecimal digits in lower case.
  std::string Hex(std::string_view key, std::size_t bytes);
  std::vector<std::uint64_t> Numbers(std::string_view key, std::uint64_t low, std::uint64_t high,
                                     std::size_t most);
  std::vector<std::string> Texts(std::string_view key, std::size_t most, std::size_t longest = 256);

  JsonReader Object(std::string_view key);
  std::vector<JsonReader> Objects(std::string_view key, std::size_t most);

  // The raw value, for a caller that reads it with a reader of its own.
  const nlohmann::json& Raw(std::string_view key);

  void Done() const;

  const std::string& path() const { return path_; }

 private:
  std::string PathOf(std::string_view key) const;
  [[noreturn]] void Refuse(const std::string& message) const;
  // "PATH is GIVEN, allowed are ALLOWED".
  [[noreturn]] void RefuseValue(const std::string& path, const nlohmann::json& given,
                                const std::string& allowed) const;
  std::uint64_t NumberIn(const nlohmann::json& value, const std::string& path, std::uint64_t low,
                         std::uint64_t high) const;
  double RealIn(const nlohmann::json& value, const std::string& path, double low,
                double high) const;
  std::string TextIn(const nlohmann::json& value, const std::string& path,
                     std::size_t longest) const;
  const nlohmann::json& List(std::string_view key, std::size_t most);

  const nlohmann::json* object_;
  std::string path_;
  Blame blame_;
  std::vector<std::string> asked_;
};

}  // namespace rdmabench
