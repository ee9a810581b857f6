#include "transport/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "transport/joined.h"

namespace rdmabench {
namespace {

constexpr std::size_t kMostNames = 3;
// Nothing that we know is nearly as long. The bound keeps a peer's megabyte of key from costing
// anything.
constexpr std::size_t kLongestWanted = 128;

std::string Folded(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return folded;
}

// Levenshtein's distance, one row of the table at a time.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string NearestNames(std::string_view wanted, std::span<const std::string_view> known) {
  if (wanted.size() > kLongestWanted) return {};
  const std::string folded = Folded(wanted);
  const std::size_t limit = std::max<std::size_t>(2, wanted.size() / 3);
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string_view name : known) {
    const std::size_t distance = EditDistance(folded, Folded(name));
    const bool something_in_common = distance < std::max(wanted.size(), name.size());
    if (distance <= limit && something_in_common) near.emplace_back(distance, name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.size() > kMostNames) near.resize(kMostNames);
  return Joined(near, &std::pair<std::size_t, std::string_view>::second);
}

std::string DidYouMean(std::string_view wanted, std::span<const std::string_view> known) {
  const std::string near = NearestNames(wanted, known);
  return near.empty() ? near : "; did you mean " + near + "?";
}

}  // namespace rdmabench
