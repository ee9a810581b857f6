#include "cmd/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "report/format.h"
#include "report/json.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr const char* kWhereToWrite =
    "give --json a file in a directory that exists and that you may write to";

std::string Cannot(const std::string& path) { return "cannot write the report to '" + path + "'"; }

// A device or a pipe is written in place; renaming would replace it by a file.
bool IsSpecial(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) &&
         !std::filesystem::is_regular_file(path, ignored) &&
         !std::filesystem::is_directory(path, ignored);
}

void WriteWhole(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) ThrowErrno(errno, Cannot(path), kWhereToWrite);
}

}  // namespace

Output::Output(const OutputOptions& options) : options_(options) {
  if (!options.json_file) return;
  const std::string& path = *options.json_file;
  json_on_stdout_ = path == "-";
  if (json_on_stdout_ || IsSpecial(path)) return;
  std::error_code unknown;  // then open() says why
  if (std::filesystem::is_directory(path, unknown)) {
    ThrowErrno(EISDIR, Cannot(path), kWhereToWrite);
  }
  const std::string unfinished = path + ".unfinished." + std::to_string(getpid());
  const int file =
      open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  CheckErrno(file, Cannot(path), kWhereToWrite);
  close(file);
  unfinished_ = unfinished;
}

Output::~Output() {
  if (!unfinished_.empty()) unlink(unfinished_.c_str());
}

void Output::Write(const report::Report& report) {
  // The file first: what reads stdout may have gone.
  if (options_.json_file && !json_on_stdout_) WriteFile(report::RenderJson(report));
  const report::Format format = *report::FindFormat(json_on_stdout_ ? "json" : options_.format);
  std::cout << format.render(report) << std::flush;
  if (!std::cout) throw Error(Blame::kEnvironment, "cannot write the report to stdout");
}

void Output::WriteFile(const std::string& text) {
  const std::string& path = *options_.json_file;
  if (unfinished_.empty()) {
    WriteWhole(path, text);
    return;
  }
  WriteWhole(unfinished_, text);
  CheckErrno(rename(unfinished_.c_str(), path.c_str()), Cannot(path), kWhereToWrite);
  unfinished_.clear();
}

}  // namespace rdmabench
