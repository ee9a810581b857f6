#include "cmd/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <streambuf>
#include <utility>
#include <vector>

#include "transport/deadline.h"

namespace rdmabench {
namespace {

constexpr mode_t kMode = 0644;
constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;
constexpr std::chrono::milliseconds kBetweenLooks{50};

// What a path stands for.
struct Place {
  int code = 0;  // errno value; 0: it is there
  mode_t mode = 0;
};

Place PlaceOf(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return {.code = errno};
  return {.mode = status.st_mode};
}

// Not every file system has files without a name.
bool HasNoUnnamed(int code) {
  return code == EOPNOTSUPP || code == EISDIR || code == ENOENT || code == EINVAL;
}

std::string OwnDescriptor(const Descriptor& file) {
  return "/proc/self/fd/" + std::to_string(file.get());
}

}  // namespace

// Hands on what was written; what the file throws reaches whoever wrote it.
class OutputFile::Stream : public std::streambuf {
 public:
  explicit Stream(OutputFile& file) : file_(file), buffer_(kBufferBytes), out_(this) {
    out_.exceptions(std::ios::badbit);
    Restart();
  }

  std::ostream& out() { return out_; }

 private:
  void Restart() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

  int_type overflow(int_type next) override {
    sync();
    if (next != traits_type::eof()) sputc(traits_type::to_char_type(next));
    return traits_type::not_eof(next);
  }

  int sync() override {
    const std::span<const char> bytes(pbase(), pptr());
    Restart();
    file_.Write(bytes);
    return 0;
  }

  OutputFile& file_;
  std::vector<char> buffer_;
  std::ostream out_;
};

OutputFile::OutputFile(Options options) : options_(std::move(options)) {
  const Place place = PlaceOf(options_.path);
  if (place.code != 0 && place.code != ENOENT) Fail(place.code);
  if (place.code == 0 && S_ISDIR(place.mode)) Fail(EISDIR);
  is_special_ = place.code == 0 && !S_ISREG(place.mode);
  if (is_special_) {
    OpenSpecial();
  } else {
    OpenUnpublished();
    Drop();
  }
}

OutputFile::~OutputFile() { Drop(); }

std::string OutputFile::Cannot() const {
  return "cannot write " + options_.content + " to '" + options_.path + "'";
}

std::string OutputFile::Remedy() const {
  return "give " + options_.option + " a file in a directory that exists and that you may write to";
}

std::array<int, 1> OutputFile::interrupt_fd() const {
  return {options_.interrupt ? options_.interrupt->fd() : -1};
}

Error OutputFile::Interrupted() const {
  return Error(Blame::kInterrupted, "interrupted while nobody read '" + options_.path + "'")
      .Of("interrupted");
}

void OutputFile::Fail(int code) {
  failure_ = Error(Blame::kEnvironment, WithReason(Cannot(), code), Remedy());
  throw Error(*failure_);
}

std::string OutputFile::Folder() const {
  const std::string folder = std::filesystem::path(options_.path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Of a file that is not published yet; short enough wherever the file's own is. A process of the
// same number may have been killed before.
std::string OutputFile::SideName() const {
  const std::string what = options_.option.substr(options_.option.find_first_not_of('-'));
  const std::string name = Folder() + "/" + what + ".unfinished." + std::to_string(getpid());
  unlink(name.c_str());
  return name;
}

// A pipe can be opened once it has a reader.
void OutputFile::OpenSpecial() {
  const Deadline deadline = In(options_.patience);
  for (;;) {
    file_ = Descriptor(open(options_.path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file_.get() >= 0) break;
    if (errno != ENXIO) Fail(errno);
    if (Now() >= deadline) {
      throw Error(
          Blame::kEnvironment,
          Cannot() + ": nobody has opened it for reading within " + InSeconds(options_.patience),
          "start its reader first");
    }
    if (WaitReady(interrupt_fd(), {}, In(kBetweenLooks))[0]) throw Interrupted();
  }
}

void OutputFile::OpenUnpublished() {
  if (!options_.is_named && access("/proc/self/fd", X_OK) == 0) {
    file_ = Descriptor(open(Folder().c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kMode));
    if (file_.get() >= 0) return;
    if (!HasNoUnnamed(errno)) Fail(errno);
  }
  const std::string name = SideName();
  file_ =
      Descriptor(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
  if (file_.get() < 0) Fail(errno);
  name_ = name;
}

void OutputFile::Drop() {
  stream_.reset();
  if (!name_.empty()) unlink(name_.c_str());
  name_.clear();
  if (!is_special_) file_ = Descriptor();
}

void OutputFile::Begin() {
  if (is_special_) return;
  Drop();
  failure_.reset();
  is_published_ = false;
}

std::ostream& OutputFile::stream() {
  if (failure_) throw Error(*failure_);
  if (file_.get() < 0) OpenUnpublished();
  if (!stream_) stream_ = std::make_unique<Stream>(*this);
  return stream_->out();
}

void OutputFile::Publish() {
  stream().flush();
  if (is_special_ || is_published_) return;
  PutInPlace();
  name_.clear();
  is_published_ = true;
}

void OutputFile::PutInPlace() {
  if (name_.empty()) {
    const std::string file = OwnDescriptor(file_);
    const auto link_as = [&file](const std::string& name) {
      return linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link_as(options_.path)) return;
    if (errno != EEXIST) Fail(errno);
    // Only renaming replaces what is there, and it takes a name.
    const std::string name = SideName();
    if (!link_as(name)) Fail(errno);
    name_ = name;
  }
  if (rename(name_.c_str(), options_.path.c_str()) != 0) Fail(errno);
}

void OutputFile::Write(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file_.get(), bytes.data(), bytes.size());
    if (count >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      AwaitReader();
    } else if (errno != EINTR) {
      Fail(errno);
    }
  }
}

void OutputFile::AwaitReader() {
  const std::array<int, 1> file = {file_.get()};
  const Deadline deadline = options_.is_awaited ? In(options_.patience) : Deadline::max();
  const std::vector<bool> ready = WaitReady(interrupt_fd(), file, deadline);
  if (ready[1]) return;
  if (ready[0]) {
    failure_ = Interrupted();
  } else {
    failure_ =
        Error(Blame::kEnvironment,
              Cannot() + ": its reader has taken nothing for " + InSeconds(options_.patience),
              "let the reader keep up, or write to a file");
  }
  throw Error(*failure_);
}

}  // namespace rdmabench
