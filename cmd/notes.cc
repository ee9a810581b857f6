#include "cmd/notes.h"

#include <poll.h>
#include <unistd.h>

#include <cstdio>

namespace rdmabench {
namespace {

constexpr double kShortestShown = 1.0;  // seconds
constexpr const char* kWipe = "\r\033[K";

void ShowProgress(const Progress& progress) {
  if (progress.elapsed_seconds < kShortestShown) return;
  // This is the session's thread: a terminal that is stopped (Ctrl-S) must not stop its heartbeats.
  pollfd terminal{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&terminal, 1, 0) <= 0) return;
  std::fprintf(stderr, "%s%.*s %zu of %zu: %llu B, %.0f s, %.3f Gb/s", kWipe,
               static_cast<int>(progress.test.size()), progress.test.data(), progress.result + 1,
               progress.results, static_cast<unsigned long long>(progress.message_bytes),
               progress.elapsed_seconds, progress.bytes_per_second * 8e-9);
  std::fflush(stderr);
}

}  // namespace

Observer MakeNotes(bool quiet) {
  Observer observer;
  if (quiet) return observer;
  observer.queued = [](std::size_t place) {
    std::fprintf(stderr, "the server is busy; place %zu in its queue\n", place);
  };
  if (isatty(STDERR_FILENO) != 0) observer.progress = ShowProgress;
  return observer;
}

void EndNotes(bool quiet) {
  if (!quiet && isatty(STDERR_FILENO) != 0) std::fputs(kWipe, stderr);
}

}  // namespace rdmabench
