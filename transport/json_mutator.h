// Changes a document as a hostile peer would: values at the ends of their types, values of other
// types, keys and elements that are missing, doubled or from elsewhere. libFuzzer knows bytes only,
// and most of what it makes of a document ends in the parser.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <string>
#include <string_view>

namespace rdmabench {

// Changes a few bytes of a text; what comes out need not be UTF-8.
using TextMutator = std::function<void(std::string&)>;

// Discarded where the text is no document, or nested more than 64 levels deep: whoever copies,
// changes or writes a document calls itself for each level.
nlohmann::json ParseToMutate(std::string_view text);

// Makes one to four changes at random places. Texts are changed by `mutate_text`, or copied from
// each other.
void MutateJson(nlohmann::json& document, std::minstd_rand& random, const TextMutator& mutate_text);

// Puts a random part of `other` at a random place of `document`.
void CrossJson(nlohmann::json& document, const nlohmann::json& other, std::minstd_rand& random);

}  // namespace rdmabench
