// Where single latency samples go: the file of --samples.
#pragma once

#include <ostream>
#include <string>

#include "cmd/output_file.h"
#include "report/samples.h"

namespace rdmabench {

class SamplesOutput {
 public:
  // Makes sure that the file can be written, before anything is measured. Throws
  // Error(kEnvironment), as all of this does.
  explicit SamplesOutput(const std::string& path);

  void Write(const report::SampleBlock& block);
  // Puts the file in its place, with what was measured until then.
  void Finish();

 private:
  std::ostream& Stream();

  const report::SampleForm& form_;
  OutputFile file_;
  bool has_head_ = false;
};

}  // namespace rdmabench
