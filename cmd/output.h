// Where the report goes: stdout in one format, and a JSON file, written whole or not at all.
#pragma once

#include <optional>
#include <string>

#include "cmd/options.h"
#include "cmd/output_file.h"
#include "report/report.h"

namespace rdmabench {

class Output {
 public:
  // Makes sure that the file can be written, before anything is measured. Throws
  // Error(kEnvironment).
  explicit Output(const OutputOptions& options);

  // Prints, and puts the file in its place. Throws Error(kEnvironment).
  void Write(const report::Report& report);

 private:
  OutputOptions options_;
  bool json_on_stdout_ = false;
  std::optional<OutputFile> json_;
};

}  // namespace rdmabench
