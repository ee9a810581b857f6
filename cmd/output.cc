#include "cmd/output.h"

#include <exception>
#include <iostream>
#include <utility>

#include "report/format.h"
#include "report/json.h"

namespace rdmabench {

Output::Output(const OutputOptions& options, const Interrupt* interrupt)
    : options_(options), json_on_stdout_(options.json_file == "-") {
  if (!options.json_file || json_on_stdout_) return;
  json_.emplace(OutputFile::Options{.path = *options.json_file,
                                    .content = "the report",
                                    .option = "--json",
                                    .interrupt = interrupt});
}

std::optional<Error> Output::Update(const report::Report& report) {
  const Deadline began = Now();
  if (!json_ || json_->is_special() || !pace_.MayWrite(began)) return std::nullopt;
  std::optional<Error> failure;
  try {
    WriteJson(report);
  } catch (const std::exception& exception) {
    if (!std::exchange(has_failed_, true)) failure = AsError(exception);
  }
  pace_.Wrote(began, Now());
  return failure;
}

void Output::WriteJson(const report::Report& report) {
  json_->Begin();
  json_->stream() << report::RenderJson(report);
  json_->Publish();
}

void Output::Write(const report::Report& report) {
  // The file first: what reads stdout may have gone.
  if (json_) WriteJson(report);
  const report::Format format = *report::FindFormat(json_on_stdout_ ? "json" : options_.format);
  std::cout << format.render(report) << std::flush;
  if (!std::cout) throw Error(Blame::kEnvironment, "cannot write the report to stdout");
}

}  // namespace rdmabench
