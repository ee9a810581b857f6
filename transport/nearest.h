// Names the known spellings nearest to one that is not known, for error texts.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rdmabench {

// The up to three `known` names within a third of `wanted`'s length in edit distance (at least 2),
// nearest first, as "a, b, c"; empty when none is near. Case and '-'/'_' do not count as
// differences; a name without anything in common with `wanted` is never near, however short both
// are.
std::string NearestNames(std::string_view wanted, std::span<const std::string_view> known);

// "; did you mean a, b?" or "" when none is near.
std::string DidYouMean(std::string_view wanted, std::span<const std::string_view> known);

}  // namespace rdmabench
