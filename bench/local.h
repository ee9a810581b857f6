// What each side keeps for itself: it never crosses the wire.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sample_log.h"
#include "report/report.h"
#include "report/samples.h"
#include "transport/placement.h"
#include "transport/secret.h"

namespace rdmabench {

// By kind of memory: which one it is, such as the file of mmap.
using MemoryArguments = std::map<std::string, std::string>;

struct Local {
  // RDMA devices or network interfaces, each with a port behind a colon if need be; or "all";
  // none: one, by the session's address.
  std::vector<std::string> devices = {};
  std::optional<int> port = {};       // of each device; absent: the first active one
  std::optional<int> gid_index = {};  // of each device; absent: paired with the peer's
  PlacementChoice placement = {};
  MemoryArguments memory_arguments = {};
};

// Whom the client calls, and how long it tries.
struct Call {
  std::string host;
  std::uint16_t port = 18515;
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds wait{60'000};  // for its turn, when the server is busy
  std::string source_ip = {};              // empty: the system's choice
  // What both sides have to have; null: neither. (Shared, because a secret has no copies.)
  std::shared_ptr<const Secret> secret = {};
};

// How far a run is; for a terminal.
struct Progress {
  std::size_t result = 0;   // the one under way, from 0
  std::size_t results = 0;  // of the plan
  std::string_view test;
  std::uint64_t message_bytes = 0;
  double elapsed_seconds = 0.0;
  // Since the last call.
  double bytes_per_second = 0.0;
  double messages_per_second = 0.0;
  std::optional<report::Latency> latency = {};
};

// What a run tells while it goes on. Each may be empty. `progress` is called on the session
// thread.
struct Observer {
  std::function<void(std::size_t place)> queued;
  std::function<void(std::string_view text)> explain;  // of both sides' placement, once agreed
  std::function<void(std::string_view warning)> warn;  // as soon as the report has it
  // Of a test that has failed while the others of its plan go on.
  std::function<void(const report::TestFailure&)> failed;
  // Of each latency result, as soon as it is there. Empty: single samples are not kept.
  std::function<void(const report::SampleBlock&)> samples;
  std::uint64_t most_samples = kMostKeptSamples;  // of a result
  // The report so far, after each result and each test that failed: nothing is measured meanwhile.
  std::function<void(const report::Report&)> so_far;
  std::function<void(const Progress&)> progress;
  std::chrono::milliseconds progress_every{500};
};

}  // namespace rdmabench
