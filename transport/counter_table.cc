#include "transport/counter_table.h"

namespace rdmabench {
namespace {

using enum CounterKind;

// Of every driver: Linux Documentation/ABI/stable/sysfs-class-infiniband. Of rdma_rxe: the kernel's
// rxe_hw_counters.c. Of mlx5_core: NVIDIA's "Understanding mlx5 ethtool and RDMA counters".
constexpr CounterMeaning kTable[] = {
    {"", "port_xmit_packets", kPacketsSent, "packets sent"},
    {"", "port_rcv_packets", kPacketsReceived, "packets received"},
    {"", "symbol_error", kError, "symbols that the physical link garbled"},
    {"", "link_error_recovery", kError, "recoveries of the link after errors"},
    {"", "link_downed", kError, "times the link went down"},
    {"", "local_link_integrity_errors", kError, "times the link had too many errors"},
    {"", "excessive_buffer_overrun_errors", kError, "times the port's buffers ran over for long"},
    {"", "port_rcv_errors", kError, "packets received with errors"},
    {"", "port_rcv_remote_physical_errors", kError, "packets that were marked bad on their way"},
    {"", "port_rcv_constraint_errors", kError, "packets received and refused by the port"},
    {"", "port_xmit_constraint_errors", kError, "packets that the port refused to send"},
    {"", "port_xmit_discards", kError, "packets dropped because the port could not send them"},
    {"rdma_rxe", "sent_pkts", kPacketsSent, "packets sent"},
    {"rdma_rxe", "rcvd_pkts", kPacketsReceived, "packets received"},
    {"rdma_rxe", "duplicate_request", kError, "requests that came again"},
    {"rdma_rxe", "out_of_seq_request", kError, "requests that came before an earlier one"},
    {"rdma_rxe", "rcvd_rnr_err", kError, "refusals received because the peer was not ready"},
    {"rdma_rxe", "send_rnr_err", kError, "refusals sent because no receive request was posted"},
    {"rdma_rxe", "rcvd_seq_err", kError, "requests of which the peer missed an earlier one"},
    {"rdma_rxe", "retry_exceeded_err", kError, "requests given up after all retries"},
    {"rdma_rxe", "retry_rnr_exceeded_err", kError, "requests given up at a peer never ready"},
    {"rdma_rxe", "completer_retry_err", kError, "requests sent again"},
    {"rdma_rxe", "send_err", kError, "packets that could not be sent"},
    {"mlx5_core", "out_of_buffer", kError, "packets dropped because no receive request was posted"},
    {"mlx5_core", "out_of_sequence", kError, "packets that came before an earlier one"},
    {"mlx5_core", "duplicate_request", kError, "requests that came again"},
    {"mlx5_core", "packet_seq_err", kError, "refusals received because a packet was missing"},
    {"mlx5_core", "implied_nak_seq_err", kError, "answers that came before an earlier one"},
    {"mlx5_core", "local_ack_timeout_err", kError, "times the acknowledgement timer expired"},
    {"mlx5_core", "rnr_nak_retry_err", kError, "refusals received because the peer was not ready"},
    {"mlx5_core", "req_remote_access_errors", kError, "requests that the peer's memory refused"},
    {"mlx5_core", "resp_remote_access_errors", kError, "requests that this side's memory refused"},
    {"mlx5_core", "rx_icrc_encapsulated", kError, "packets with a wrong checksum"},
    {"mlx5_core", "resp_local_length_error", kError, "messages longer than their receive request"},
    {"mlx5_core", "req_remote_invalid_request", kError,
     "requests that the peer did not understand"},
    {"mlx5_core", "req_transport_retries_exceeded", kError, "requests given up after all retries"},
    {"mlx5_core", "req_rnr_retries_exceeded", kError, "requests given up at a peer never ready"},
    {"mlx5_core", "roce_adp_retrans", kError, "packets sent again by adaptive retransmission"},
    {"mlx5_core", "roce_adp_retrans_to", kError, "time-outs of adaptive retransmission"},
    {"mlx5_core", "roce_slow_restart", kCongestion, "times sending began again slowly"},
    {"mlx5_core", "np_cnp_sent", kCongestion, "congestion notifications sent"},
    {"mlx5_core", "np_ecn_marked_roce_packets", kCongestion, "packets that a switch has marked"},
    {"mlx5_core", "rp_cnp_handled", kCongestion, "congestion notifications that slowed this side"},
};

}  // namespace

std::span<const CounterMeaning> CounterTable() { return kTable; }

const CounterMeaning* FindCounter(std::string_view driver, std::string_view name) {
  driver = driver.substr(0, driver.find('.'));  // "mlx5_core.sf": a scalable function
  const CounterMeaning* found = nullptr;
  for (const CounterMeaning& row : kTable) {
    if (row.name != name || (!row.driver.empty() && row.driver != driver)) continue;
    if (found == nullptr || found->driver.empty()) found = &row;
  }
  return found;
}

}  // namespace rdmabench
