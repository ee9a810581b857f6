#include "cmd/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "transport/error.h"

namespace rdmabench {
namespace {

bool IsSpecial(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) &&
         !std::filesystem::is_regular_file(path, ignored) &&
         !std::filesystem::is_directory(path, ignored);
}

}  // namespace

OutputFile::OutputFile(Options options) : options_(std::move(options)) {
  const std::string& path = options_.path;
  if (IsSpecial(path)) return;
  std::error_code unknown;  // then open() says why
  if (std::filesystem::is_directory(path, unknown)) ThrowErrno(EISDIR, Cannot(), Remedy());
  const std::string unfinished = path + ".unfinished." + std::to_string(getpid());
  const int file =
      open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  CheckErrno(file, Cannot(), Remedy());
  close(file);
  unfinished_ = unfinished;
}

OutputFile::~OutputFile() {
  if (!unfinished_.empty()) unlink(unfinished_.c_str());
}

std::string OutputFile::Cannot() const {
  return "cannot write " + options_.content + " to '" + options_.path + "'";
}

std::string OutputFile::Remedy() const {
  return "give " + options_.option + " a file in a directory that exists and that you may write to";
}

// Opened as late as this, since a pipe waits for its reader.
std::ostream& OutputFile::stream() {
  if (!stream_.is_open()) {
    stream_.open(unfinished_.empty() ? options_.path : unfinished_, std::ios::binary);
    CheckStream();
  }
  return stream_;
}

void OutputFile::CheckStream() {
  if (!stream_) ThrowErrno(errno, Cannot(), Remedy());
}

void OutputFile::Finish() {
  stream().flush();
  CheckStream();
  stream_.close();
  if (unfinished_.empty()) return;
  CheckErrno(rename(unfinished_.c_str(), options_.path.c_str()), Cannot(), Remedy());
  unfinished_.clear();
}

}  // namespace rdmabench
