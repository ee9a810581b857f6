// What the fuzz targets share: the function that libFuzzer and the replay of the corpora call, and
// what is promised of bytes that somebody else sent, whatever they are: nothing happens, or an
// Error that may be shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

// Each target defines it in its NAME_fuzz.cc. Whatever it throws is a find.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace rdmabench {

// Throws std::logic_error, which names `promise`, unless it is kept.
void Expect(bool kept, std::string_view promise);

// An Error that `read` throws is fine if its texts are short and printable; any other exception
// gets through.
void ExpectOnlyErrors(const std::function<void()>& read);

// The same of what is done with the input where it is JSON. Returns what libFuzzer wants to hear.
int FuzzJson(const std::uint8_t* data, std::size_t size,
             const std::function<void(const nlohmann::json&)>& use);

}  // namespace rdmabench
