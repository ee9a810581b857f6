#include "report/format.h"

#include <array>

#include "report/csv.h"
#include "report/json.h"
#include "report/text.h"

namespace rdmabench::report {
namespace {

constexpr std::array kFormats = {
    Format{"text", RenderText},
    Format{"json", RenderJson},
    Format{"csv", RenderCsv},
};

}  // namespace

std::span<const Format> Formats() { return kFormats; }

std::optional<Format> FindFormat(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return format;
  }
  return std::nullopt;
}

}  // namespace rdmabench::report
