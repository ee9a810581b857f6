#include "transport/finding.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace rdmabench {
namespace {

constexpr std::array<std::pair<Severity, std::string_view>, 3> kNames = {{
    {Severity::kNote, "note"},
    {Severity::kWarning, "warning"},
    {Severity::kSevere, "severe"},
}};

}  // namespace

std::string_view SeverityName(Severity severity) {
  return kNames[static_cast<std::size_t>(severity)].second;
}

std::optional<Severity> FindSeverity(std::string_view name) {
  for (const auto& [severity, known] : kNames) {
    if (known == name) return severity;
  }
  return std::nullopt;
}

std::string FindingLine(const Finding& finding) {
  return finding.side + ": " + finding.what + ": " + finding.effect +
         (finding.remedy.empty() ? "" : "; remedy: " + finding.remedy);
}

std::string GbpsText(double gbps) {
  char text[32];
  std::snprintf(text, sizeof text, "%g Gb/s", std::round(gbps * 10.0) / 10.0);
  return text;
}

}  // namespace rdmabench
