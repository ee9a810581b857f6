#include "cmd/output.h"

#include <iostream>

#include "report/format.h"
#include "report/json.h"
#include "transport/error.h"

namespace rdmabench {

Output::Output(const OutputOptions& options)
    : options_(options), json_on_stdout_(options.json_file == "-") {
  if (!options.json_file || json_on_stdout_) return;
  json_.emplace(
      OutputFile::Options{.path = *options.json_file, .content = "the report", .option = "--json"});
}

void Output::Write(const report::Report& report) {
  // The file first: what reads stdout may have gone.
  if (json_) {
    json_->stream() << report::RenderJson(report);
    json_->Finish();
  }
  const report::Format format = *report::FindFormat(json_on_stdout_ ? "json" : options_.format);
  std::cout << format.render(report) << std::flush;
  if (!std::cout) throw Error(Blame::kEnvironment, "cannot write the report to stdout");
}

}  // namespace rdmabench
