// A titled group of options of one command. Options parse their own text, so that every error has
// one form.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include "bench/plan.h"
#include "cmd/quantity.h"

namespace CLI {
class App;
}

namespace rdmabench {

class OptionGroup {
 public:
  OptionGroup(CLI::App& app, std::string title) : app_(app), title_(std::move(title)) {}

  // `names`: "-s,--size"; `kind` stands for the value in the help. An empty text, such as
  // that of a variable which is not set, is refused.
  void Add(const std::string& names, const std::string& kind, const std::string& help,
           const std::function<void(const std::string&)>& take);
  // An option without a value.
  void Call(const std::string& names, const std::string& help, const std::function<void()>& take);

  void Flag(const std::string& names, bool& value, const std::string& help) {
    Call(names, help, [&value] { value = true; });
  }
  template <class T>
  void Number(const std::string& names, T& value, Range range, const std::string& help) {
    Add(names, "N", help + " (" + range.ToString() + ")", [=, &value](const std::string& text) {
      value = static_cast<typename ValueOf<T>::Type>(ParseNumber(Shown(names), text, range));
    });
  }
  template <class T>
  void Size(const std::string& names, T& value, Range range, const std::string& help) {
    Add(names, "SIZE", help, [=, &value](const std::string& text) {
      value = static_cast<typename ValueOf<T>::Type>(ParseSize(Shown(names), text, range));
    });
  }
  // Into milliseconds, as a number or as a duration.
  template <class T>
  void Time(const std::string& names, T& value, Range range, const std::string& help) {
    Add(names, "TIME", help, [=, &value](const std::string& text) {
      const std::chrono::milliseconds time = ParseDuration(Shown(names), text, range);
      using Value = typename ValueOf<T>::Type;
      if constexpr (std::is_integral_v<Value>) {
        value = static_cast<Value>(time.count());
      } else {
        value = time;
      }
    });
  }
  template <class T>
  void Text(const std::string& names, T& value, const std::string& kind, const std::string& help) {
    Add(names, kind, help, [&value](const std::string& text) { value = text; });
  }

 private:
  template <class T>
  struct ValueOf {
    using Type = T;
  };
  template <class T>
  struct ValueOf<std::optional<T>> {
    using Type = T;
  };

  // The long name, for error texts: "-s,--size" → "--size".
  static std::string Shown(const std::string& names);

  CLI::App& app_;
  std::string title_;
};

}  // namespace rdmabench
