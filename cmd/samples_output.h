// Where single latency samples go: the file of --samples. It has each block as soon as there is
// one.
#pragma once

#include <ostream>
#include <string>

#include "cmd/output_file.h"
#include "report/samples.h"
#include "transport/interrupt.h"

namespace rdmabench {

class SamplesOutput {
 public:
  // Makes sure that the file can be written, before anything is measured. Throws
  // Error(kEnvironment), as all of this does.
  explicit SamplesOutput(const std::string& path, const Interrupt* interrupt = nullptr);

  // The first one takes the place of what was there, the others follow it.
  void Write(const report::SampleBlock& block);
  // Also without a block the file is what its name says.
  void Finish();

 private:
  std::ostream& Stream();

  const report::SampleForm& form_;
  OutputFile file_;
  bool has_head_ = false;
};

}  // namespace rdmabench
