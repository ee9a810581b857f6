// Where the report goes: stdout in one format at the end, and a JSON file that is written anew
// after each result, so that there always is a whole document of what was measured so far.
#pragma once

#include <optional>
#include <string>

#include "cmd/options.h"
#include "cmd/output_file.h"
#include "cmd/write_pace.h"
#include "report/report.h"
#include "transport/error.h"
#include "transport/interrupt.h"

namespace rdmabench {

class Output {
 public:
  // Makes sure that the file can be written, before anything is measured. Throws
  // Error(kEnvironment).
  explicit Output(const OutputOptions& options, const Interrupt* interrupt = nullptr);

  // Puts the report so far in place of the file's; of a device or a pipe there is only one, at the
  // end. A failure ends nothing, since a later one may do: returned is the first, once.
  std::optional<Error> Update(const report::Report& report);
  // Prints, and puts the file in its place. Throws Error(kEnvironment).
  void Write(const report::Report& report);

 private:
  void WriteJson(const report::Report& report);

  OutputOptions options_;
  bool json_on_stdout_ = false;
  std::optional<OutputFile> json_;
  WritePace pace_;
  bool has_failed_ = false;
};

}  // namespace rdmabench
