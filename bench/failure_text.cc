#include "bench/failure_text.h"

#include <infiniband/verbs.h>

#include <cerrno>
#include <sstream>
#include <string>

#include "transport/catalogue.h"

namespace rdmabench {
namespace {

std::string Hex(std::uint32_t number) {
  std::ostringstream text;
  text << "0x" << std::hex << number;
  return text.str();
}

Error DescribeCompletion(const Failure& failure) {
  const auto status = static_cast<ibv_wc_status>(failure.code);
  return ErrorOf(RowOfCompletion(status), Blame::kRun,
                 "a request of queue pair " + Hex(failure.qpn) + " failed with completion status " +
                     std::to_string(failure.code) + " (" + ibv_wc_status_str(status) +
                     "), vendor error " + Hex(failure.vendor_error));
}

Error DescribePost(std::string_view call, const std::string& attempted, int code) {
  const CatalogueRow* row = RowOfCall(call, code);
  const std::string happened = WithReason(attempted, code);
  return row == nullptr ? Error(Blame::kRun, happened) : ErrorOf(*row, Blame::kRun, happened);
}

}  // namespace

Error DescribeFailure(const Failure& failure) {
  switch (failure.what) {
    case Failure::What::kPost:
      return DescribePost("ibv_post_send", "cannot post to queue pair " + Hex(failure.qpn),
                          failure.code);
    case Failure::What::kReceive:
      return DescribePost("ibv_post_recv",
                          "cannot post receive requests of queue pair " + Hex(failure.qpn),
                          failure.code);
    case Failure::What::kPoll:
      return ErrorOf(
          *RowOfCall({}, EIO), Blame::kRun,
          "cannot poll the completion queue (it returned " + std::to_string(failure.code) + ")");
    default:
      return DescribeCompletion(failure);
  }
}

}  // namespace rdmabench
