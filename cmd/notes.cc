#include "cmd/notes.h"

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "report/percentile.h"

namespace rdmabench {
namespace {

constexpr double kShortestShown = 1.0;  // seconds
constexpr const char* kWipe = "\r\033[K";

// This is the session's thread: a terminal that is stopped (Ctrl-S) or a full pipe must not stop
// its heartbeats.
bool WouldBlock() {
  pollfd output{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&output, 1, 0) <= 0;
}

void ShowProgress(const Progress& progress) {
  if (progress.elapsed_seconds < kShortestShown || WouldBlock()) return;
  std::fprintf(stderr, "%s%.*s %zu of %zu: %llu B, %.0f s, %.3f Gb/s", kWipe,
               static_cast<int>(progress.test.size()), progress.test.data(), progress.result + 1,
               progress.results, static_cast<unsigned long long>(progress.message_bytes),
               progress.elapsed_seconds, progress.bytes_per_second * 8e-9);
  std::fflush(stderr);
}

// "-" for a percentile that too few samples back.
void PrintMicroseconds(const std::string& name, const std::optional<double>& ns) {
  if (ns) {
    std::fprintf(stderr, "  %s %.2f us", name.c_str(), *ns / 1e3);
  } else {
    std::fprintf(stderr, "  %s -", name.c_str());
  }
}

// As iperf does: what came since the last line, one line each.
void PrintInterval(const Progress& progress) {
  if (WouldBlock()) return;
  std::fprintf(stderr, "%9.3f s", progress.elapsed_seconds);
  if (progress.latency) {
    std::fprintf(stderr, "  %llu samples",
                 static_cast<unsigned long long>(progress.latency->samples));
    for (const report::Percentile& percentile : progress.latency->percentiles) {
      PrintMicroseconds(report::PercentileName(percentile.percent), percentile.ns);
    }
    PrintMicroseconds("max", progress.latency->max_ns);
  } else {
    std::fprintf(stderr, "  %.3f Gb/s  %.6f M msg/s", progress.bytes_per_second * 8e-9,
                 progress.messages_per_second * 1e-6);
  }
  std::fputc('\n', stderr);
}

}  // namespace

Observer MakeNotes(const OutputOptions& options) {
  Observer observer;
  if (options.interval) {
    observer.progress = PrintInterval;
    observer.progress_every = *options.interval;
  }
  if (options.explain) {
    observer.explain = [](std::string_view text) {
      std::fprintf(stderr, "%.*s", static_cast<int>(text.size()), text.data());
    };
  }
  observer.failed = [](const report::TestFailure& failure) {
    const report::Failure& error = failure.error;
    std::string place = error.host;
    if (!error.step.empty()) place += (place.empty() ? "while " : ", while ") + error.step;
    std::fprintf(stderr, "error: test %zu, %s: %s%s%s\n", failure.plan_index + 1,
                 failure.test.c_str(), place.c_str(), place.empty() ? "" : ": ",
                 error.message.c_str());
  };
  if (options.quiet) return observer;
  observer.warn = [](std::string_view warning) {
    std::fprintf(stderr, "%swarning: %.*s\n", isatty(STDERR_FILENO) != 0 ? kWipe : "",
                 static_cast<int>(warning.size()), warning.data());
  };
  observer.queued = [](std::size_t place) {
    std::fprintf(stderr, "the server is busy; place %zu in its queue\n", place);
  };
  if (!observer.progress && isatty(STDERR_FILENO) != 0) observer.progress = ShowProgress;
  return observer;
}

void EndNotes(const OutputOptions& options) {
  if (!options.quiet && !options.interval && isatty(STDERR_FILENO) != 0) {
    std::fputs(kWipe, stderr);
  }
}

}  // namespace rdmabench
