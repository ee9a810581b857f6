#include "cmd/samples_output.h"

namespace rdmabench {

// The server waits while a block is written.
SamplesOutput::SamplesOutput(const std::string& path, const Interrupt* interrupt)
    : form_(report::SampleFormOf(path)),
      file_({.path = path,
             .content = "the samples",
             .option = "--samples",
             .interrupt = interrupt,
             .is_awaited = true}) {}

std::ostream& SamplesOutput::Stream() {
  if (!has_head_) file_.stream() << form_.head;
  has_head_ = true;
  return file_.stream();
}

void SamplesOutput::Write(const report::SampleBlock& block) {
  form_.write(Stream(), block);
  file_.Publish();
}

void SamplesOutput::Finish() {
  Stream();
  file_.Publish();
}

}  // namespace rdmabench
