// The report as the JSON document that schema.json describes.
#pragma once

#include <string>

#include "report/report.h"

namespace rdmabench::report {

// Goes up when a key changes its meaning, not when one is added.
inline constexpr int kSchemaVersion = 2;

// Indented by two, in the order of the schema, with a line end. Ill-formed UTF-8 becomes U+FFFD. A
// plan that is not a JSON object is left out, and a warning says so.
std::string RenderJson(const Report& report);

// One host as it stands in the document's `hosts`, on one line: what a server tells its client of
// itself.
std::string RenderHost(const Host& host);

}  // namespace rdmabench::report
