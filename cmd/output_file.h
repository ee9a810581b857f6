// A file that is written whole or not at all: it stands under another name until it is finished. A
// device or a pipe is written in place, since renaming would replace it by a file.
#pragma once

#include <fstream>
#include <string>

namespace rdmabench {

class OutputFile {
 public:
  struct Options {
    std::string path;
    std::string content;  // "the report", for error texts
    std::string option;   // "--json"
  };

  // Makes sure that it can be written, before anything is measured. Throws Error(kEnvironment).
  explicit OutputFile(Options options);
  ~OutputFile();  // an unfinished file goes
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream();
  // Throws Error(kEnvironment) when something could not be written.
  void CheckStream();
  // Puts the file in its place. Throws Error(kEnvironment).
  void Finish();

 private:
  std::string Cannot() const;
  std::string Remedy() const;

  Options options_;
  std::string unfinished_;  // its path; empty for what is written in place, and once it is finished
  std::ofstream stream_;
};

}  // namespace rdmabench
