#include "transport/event_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <exception>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/event_json.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

constexpr std::chrono::seconds kPatience{1};
constexpr std::size_t kReadBytes = 16'384;
constexpr int kReadsPerTurn = 4;
constexpr std::size_t kLongestLine = 65'536;

bool MeansNotNow(int code) { return code == EAGAIN || code == EINTR; }

}  // namespace

EventPipe::EventPipe() {
  std::array<int, 2> ends = {};
  CheckErrno(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), "cannot create a pipe");
  reader = Descriptor(ends[0]);
  writer = Descriptor(ends[1]);
}

EventWriter::EventWriter(Descriptor pipe) : pipe_(std::move(pipe)) {
  CheckErrno(fcntl(pipe_.get(), F_SETFL, O_WRONLY | O_NONBLOCK), "cannot set a pipe's mode");
  CheckErrno(fcntl(pipe_.get(), F_SETFD, FD_CLOEXEC), "cannot set a pipe's mode");
}

void EventWriter::Write(const Event& event) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  const std::string line = EventToJson(event).dump() + "\n";
  std::string_view left = line;
  const Deadline until = In(kPatience);
  while (!left.empty()) {
    const ssize_t count = write(pipe_.get(), left.data(), left.size());
    if (count > 0) {
      left.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (!MeansNotNow(errno) || Now() >= until) {
      finished_ = true;  // half a line may be there: nothing can follow it
      return;
    }
    const std::array<int, 1> writable = {pipe_.get()};
    WaitReady({}, writable, until);
  }
}

std::vector<Event> EventReader::Read() {
  std::vector<Event> events;
  std::array<char, kReadBytes> buffer = {};
  try {
    for (int i = 0; i < kReadsPerTurn && pipe_.get() >= 0; ++i) {
      const ssize_t count = read(pipe_.get(), buffer.data(), buffer.size());
      if (count < 0 && MeansNotNow(errno)) break;
      if (count <= 0) {
        pipe_ = {};
        break;
      }
      unread_.append(buffer.data(), static_cast<std::size_t>(count));
      std::size_t end = 0;
      while ((end = unread_.find('\n')) != std::string::npos) {
        const nlohmann::json json = ParseJson(std::string_view(unread_).substr(0, end), "an event");
        events.push_back(SessionEventFromJson(json));
        unread_.erase(0, end + 1);
      }
      if (unread_.size() > kLongestLine) throw Error(Blame::kRun, "it sent a line without end");
    }
  } catch (const Error&) {
    pipe_ = {};
    throw;
  }
  return events;
}

}  // namespace rdmabench
