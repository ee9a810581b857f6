// Why a run, or a test of it, failed: as reports have it. See report.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace rdmabench::report {

// Why something failed on one side. All but `message` may be empty.
struct Reason {
  std::string host = {};  // "client", "server", or a host's name
  std::string step = {};  // what that side was doing: "connecting the queue pairs"
  std::string code = {};  // an entry of docs/errors.md: "IBV_WC_RETRY_EXC_ERR"
  std::string message = {};
  std::string remedy = {};
};

struct Failure {
  // As in Reason.
  std::string host = {};
  std::string step = {};
  std::string code = {};
  std::string message = {};
  std::string remedy = {};
  std::optional<Reason> peer = {};  // the other side's, where it has one of its own
};

// A test of a plan of several that failed, while others went on.
struct TestFailure {
  std::size_t plan_index = 0;
  std::string test = {};
  Failure error = {};
};

}  // namespace rdmabench::report
