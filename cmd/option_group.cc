#include "cmd/option_group.h"

#include <CLI/CLI.hpp>

#include "transport/error.h"

namespace rdmabench {

void OptionGroup::Add(const std::string& names, const std::string& kind, const std::string& help,
                      const std::function<void(const std::string&)>& take) {
  const auto take_text = [take, option = Shown(names)](const std::string& text) {
    if (text.empty()) {
      throw Error(Blame::kUsage, option + " has no value", "give it one, or leave it out");
    }
    take(text);
  };
  app_.add_option_function<std::string>(names, take_text, help)->type_name(kind)->group(title_);
}

void OptionGroup::Call(const std::string& names, const std::string& help,
                       const std::function<void()>& take) {
  app_.add_flag_callback(names, take, help)->group(title_)->disable_flag_override();
}

std::string OptionGroup::Shown(const std::string& names) {
  const std::size_t dashes = names.find("--");
  const std::string name = dashes == std::string::npos ? names : names.substr(dashes);
  return name.substr(0, name.find(','));
}

}  // namespace rdmabench
