// The output formats. A new one is a file that defines its Render function, and a row in format.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/report.h"

namespace rdmabench::report {

struct Format {
  std::string_view name;
  std::string (*render)(
      const Report& report);  // whole lines; never throws because of what stands in a text
};

std::span<const Format> Formats();

// Absent when there is none of this name.
std::optional<Format> FindFormat(std::string_view name);

}  // namespace rdmabench::report
