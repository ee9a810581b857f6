// Lists in texts: "rc, uc, ud".
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace rdmabench {

// Adds a word to a list that is being made; an empty list has none yet.
inline void AppendWord(std::string& list, std::string_view word,
                       std::string_view separator = ", ") {
  if (!list.empty()) list += separator;
  list += word;
}

// What `projection` (a member or a function) makes of each element: a string or a view of one.
template <class Range, class Projection = std::identity>
std::string Joined(const Range& range, Projection projection = {},
                   std::string_view separator = ", ") {
  std::string list;
  for (const auto& element : range) {
    AppendWord(list, std::invoke(projection, element), separator);
  }
  return list;
}

}  // namespace rdmabench
