// A file that is never half a document: what is written stands nowhere until it is published, and
// then in the place of what was there. A device or a pipe is written in place, since renaming would
// replace it by a file.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>

#include "transport/descriptor.h"
#include "transport/error.h"
#include "transport/interrupt.h"

namespace rdmabench {

class OutputFile {
 public:
  struct Options {
    std::string path;
    std::string content;  // "the report", for error texts
    std::string option;   // "--json"
    // Of a pipe: ends a wait for its reader; may be null.
    const Interrupt* interrupt = nullptr;
    // Somebody else waits while it is written: the reader of a pipe has to take something within
    // `patience`. It has to be there within that in any case.
    bool is_awaited = false;
    std::chrono::milliseconds patience{10'000};
    // Under a name of its own until it is published, as where the file system has no files without.
    bool is_named = false;
  };

  // Makes sure that it can be written, before anything is measured. Throws Error(kEnvironment), as
  // all of this does, its stream included; Error(kInterrupted).
  explicit OutputFile(Options options);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Written in place: there is no second document.
  bool is_special() const { return is_special_; }
  // Begins a document, which a later Publish() puts in the place of the one before.
  void Begin();
  std::ostream& stream();
  // All that was written can be read from now on; what is written later follows it. It is not
  // forced to the disk: that takes long, and a report need not survive the machine.
  void Publish();

 private:
  class Stream;

  std::string Cannot() const;
  std::string Remedy() const;
  std::array<int, 1> interrupt_fd() const;  // -1: there is none
  Error Interrupted() const;
  [[noreturn]] void Fail(int code);
  std::string Folder() const;
  std::string SideName() const;
  void OpenSpecial();
  void OpenUnpublished();
  void Drop();
  void PutInPlace();
  void Write(std::span<const char> bytes);
  void AwaitReader();

  Options options_;
  bool is_special_ = false;
  Descriptor file_;
  std::string name_;  // the unpublished file's, for as long as it has one
  bool is_published_ = false;
  std::optional<Error> failure_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace rdmabench
