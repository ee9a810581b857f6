#include "bench/failure_text.h"

#include <infiniband/verbs.h>

#include <sstream>
#include <string>
#include <string_view>

namespace rdmabench {
namespace {

struct StatusRow {
  ibv_wc_status status;
  std::string_view remedy;
};

// What each completion status points at, most likely cause first (IBTA vol. 1, 11.6.2).
constexpr StatusRow kStatuses[] = {
    {IBV_WC_RETRY_EXC_ERR,
     "the peer's port did not acknowledge: check that both GIDs reach each other, that the path "
     "carries the MTU, that UDP port 4791 is open, and that the peer still lives; --qp-timeout "
     "gives it longer"},
    {IBV_WC_RNR_RETRY_EXC_ERR, "the peer posted no receive request in time"},
    {IBV_WC_REM_ACCESS_ERR,
     "the peer's memory key was refused: its session may have ended already; see the peer's error"},
    {IBV_WC_REM_OP_ERR, "the peer could not carry out the operation; see the peer's error"},
    {IBV_WC_LOC_PROT_ERR, "the local memory registration does not cover the message"},
    {IBV_WC_LOC_LEN_ERR, "the message is longer than the port or the queue pair allows"},
    {IBV_WC_LOC_QP_OP_ERR, "the device does not support this request on this queue pair"},
    {IBV_WC_WR_FLUSH_ERR, "the queue pair had failed before; see the system log"},
};

std::string Hex(std::uint32_t number) {
  std::ostringstream text;
  text << "0x" << std::hex << number;
  return text.str();
}

Error DescribeCompletion(const Failure& failure) {
  const auto status = static_cast<ibv_wc_status>(failure.code);
  std::string_view remedy = "see the system log of both hosts";
  for (const StatusRow& row : kStatuses) {
    if (row.status == status) remedy = row.remedy;
  }
  return {Blame::kRun,
          "a request of queue pair " + Hex(failure.qpn) + " failed with completion status " +
              std::to_string(failure.code) + " (" + ibv_wc_status_str(status) + "), vendor error " +
              Hex(failure.vendor_error),
          std::string(remedy)};
}

}  // namespace

Error DescribeFailure(const Failure& failure) {
  switch (failure.what) {
    case Failure::What::kPost:
      return {Blame::kRun,
              WithReason("cannot post to queue pair " + Hex(failure.qpn), failure.code)};
    case Failure::What::kReceive:
      return {Blame::kRun,
              WithReason("cannot post receive requests of queue pair " + Hex(failure.qpn),
                         failure.code)};
    case Failure::What::kPoll:
      return {Blame::kRun, "cannot poll the completion queue (it returned " +
                               std::to_string(failure.code) + ")"};
    default:
      return DescribeCompletion(failure);
  }
}

}  // namespace rdmabench
