#include "transport/fuzz_entry.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "transport/error.h"
#include "transport/json_reader.h"
#include "transport/printable.h"

namespace rdmabench {
namespace {

constexpr std::size_t kLongestText = 4096;

void ExpectShowable(const std::string& text) {
  Expect(text.size() <= kLongestText, "an error's text is short");
  Expect(Printable(text, text.size()) == text, "an error's text is printable");
}

}  // namespace

void Expect(bool kept, std::string_view promise) {
  if (!kept) throw std::logic_error("broken promise: " + std::string(promise));
}

void ExpectOnlyErrors(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    ExpectShowable(error.what());
    ExpectShowable(error.remedy());
  }
}

int FuzzJson(const std::uint8_t* data, std::size_t size,
             const std::function<void(const nlohmann::json&)>& use) {
  ExpectOnlyErrors([&] {
    use(ParseJson({reinterpret_cast<const char*>(data), size}, "the input"));
  });
  return 0;
}

}  // namespace rdmabench
