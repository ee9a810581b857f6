#include "cmd/samples_output.h"

namespace rdmabench {

SamplesOutput::SamplesOutput(const std::string& path)
    : form_(report::SampleFormOf(path)),
      file_({.path = path, .content = "the samples", .option = "--samples"}) {}

std::ostream& SamplesOutput::Stream() {
  if (!has_head_) file_.stream() << form_.head;
  has_head_ = true;
  return file_.stream();
}

void SamplesOutput::Write(const report::SampleBlock& block) {
  form_.write(Stream(), block);
  file_.CheckStream();
}

void SamplesOutput::Finish() {
  Stream();  // also without a result the file is what its name says
  file_.Finish();
}

}  // namespace rdmabench
