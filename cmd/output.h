// Where the report goes: stdout in one format, and a JSON file, written whole or not at all.
#pragma once

#include <optional>
#include <string>

#include "cmd/options.h"
#include "report/report.h"

namespace rdmabench {

class Output {
 public:
  // Makes sure that the file can be written, before anything is measured. Throws
  // Error(kEnvironment).
  explicit Output(const OutputOptions& options);
  ~Output();  // an unfinished file goes
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Prints, and puts the file in its place by renaming. Throws Error(kEnvironment).
  void Write(const report::Report& report);

 private:
  void WriteFile(const std::string& text);

  OutputOptions options_;
  bool json_on_stdout_ = false;
  std::string unfinished_;  // path of the file under way; empty when there is none or it is not a
                            // regular file
};

}  // namespace rdmabench
