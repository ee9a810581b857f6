#include "transport/counter_table.h"

#include <algorithm>

namespace rdmabench {
namespace {

using enum CounterKind;

// Of every driver: Linux Documentation/ABI/stable/sysfs-class-infiniband and, with "netdev_",
// Documentation/ABI/testing/sysfs-class-net-statistics. Of rdma_rxe: the kernel's
// rxe_hw_counters.c. Of mlx5_core: NVIDIA's "Understanding mlx5 ethtool and RDMA counters" and,
// with "ethtool_", the kernel's mlx5/counters.rst. Of bnxt_en, ice, i40e and efa: the kernel's
// drivers bnxt_re and bnxt, irdma, ice and i40e, efa.
//
// What an interface or a queueing discipline drops is an error only where RDMA goes through it:
// with hardware the kernel's packets are other people's.
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
    {"", "netdev_rx_crc_errors", kError, "packets received with a wrong checksum"},
    {"", "netdev_rx_frame_errors", kError, "packets received out of alignment"},
    {"", "netdev_tx_carrier_errors", kError, "packets lost because the link was gone"},
    {"rdma_rxe", "netdev_rx_errors", kError, "packets received with errors"},
    {"rdma_rxe", "netdev_rx_dropped", kError, "packets received and dropped"},
    {"rdma_rxe", "netdev_rx_fifo_errors", kError, "packets that the interface had no room for"},
    {"rdma_rxe", "netdev_rx_missed_errors", kError, "packets that the host was too slow for"},
    {"rdma_rxe", "netdev_tx_errors", kError, "packets that could not be sent"},
    {"rdma_rxe", "netdev_tx_dropped", kError, "packets dropped instead of sent"},
    {"rdma_rxe", "netdev_tx_fifo_errors", kError,
     "packets that the interface did not send in time"},
    {"rdma_rxe", "qdisc_drops", kError, "packets that the queueing discipline dropped"},
    {"rdma_rxe", "qdisc_overlimits", kCongestion,
     "times the queueing discipline held packets back"},
    {"rdma_rxe", "ip_frag_fails", kError, "packets too large for the way out (IP FragFails)"},
    {"rdma_rxe", "ip6_frag_fails", kError, "packets too large for the way out (Ip6FragFails)"},
    {"rdma_rxe", "ip_out_no_routes", kError, "packets that had no route"},
    {"rdma_rxe", "ip6_out_no_routes", kError, "packets that had no route"},
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
    {"mlx5_core", "ethtool_rx_discards_phy", kError, "packets that the port had no room for"},
    {"mlx5_core", "ethtool_tx_discards_phy", kError, "packets dropped instead of sent"},
    {"mlx5_core", "ethtool_rx_pause_ctrl_phy", kCongestion, "pause frames received"},
    {"mlx5_core", "ethtool_tx_pause_ctrl_phy", kCongestion, "pause frames sent"},
    {"mlx5_core", "ethtool_rx_prio#_pause", kCongestion, "pause frames of a priority received"},
    {"mlx5_core", "ethtool_tx_prio#_pause", kCongestion, "pause frames of a priority sent"},
    {"bnxt_en", "rx_roce_errors", kError, "packets received with errors"},
    {"bnxt_en", "rx_roce_discards", kError, "packets received and dropped"},
    {"bnxt_en", "rx_out_of_buffer", kError,
     "packets dropped because no receive request was posted"},
    {"bnxt_en", "to_retransmits", kError, "times the acknowledgement timer expired"},
    {"bnxt_en", "seq_err_naks_rcvd", kError, "refusals received because a packet was missing"},
    {"bnxt_en", "oos_drop_count", kError, "packets that came before an earlier one"},
    {"bnxt_en", "missing_resp", kError, "answers that did not come"},
    {"bnxt_en", "dup_req", kError, "requests that came again"},
    {"bnxt_en", "rnr_naks_rcvd", kError, "refusals received because the peer was not ready"},
    {"bnxt_en", "max_retry_exceeded", kError, "requests given up after all retries"},
    {"bnxt_en", "remote_access_err", kError, "requests that the peer's memory refused"},
    {"bnxt_en", "remote_invalid_req_err", kError, "requests that the peer did not understand"},
    {"bnxt_en", "ethtool_rx_pause_frames", kCongestion, "pause frames received"},
    {"bnxt_en", "ethtool_tx_pause_frames", kCongestion, "pause frames sent"},
    {"bnxt_en", "ethtool_rx_pfc_ena_frames_pri#", kCongestion,
     "pause frames of a priority received"},
    {"bnxt_en", "ethtool_tx_pfc_ena_frames_pri#", kCongestion, "pause frames of a priority sent"},
    {"ice", "ip4InDiscards", kError, "packets received and dropped"},
    {"ice", "ip6InDiscards", kError, "packets received and dropped"},
    {"ice", "ip4InTruncatedPkts", kError, "packets received with less than they announce"},
    {"ice", "ip6InTruncatedPkts", kError, "packets received with less than they announce"},
    {"ice", "ip4OutNoRoutes", kError, "packets that had no route"},
    {"ice", "ip6OutNoRoutes", kError, "packets that had no route"},
    {"ice", "rxVlanErrors", kError, "packets received from a wrong VLAN"},
    {"ice", "cnpSent", kCongestion, "congestion notifications sent"},
    {"ice", "cnpHandled", kCongestion, "congestion notifications that slowed this side"},
    {"ice", "ethtool_link_xoff_rx.nic", kCongestion, "pause frames received"},
    {"ice", "ethtool_link_xoff_tx.nic", kCongestion, "pause frames sent"},
    {"ice", "ethtool_rx_priority_#_xoff.nic", kCongestion, "pause frames of a priority received"},
    {"ice", "ethtool_tx_priority_#_xoff.nic", kCongestion, "pause frames of a priority sent"},
    {"i40e", "ip4InDiscards", kError, "packets received and dropped"},
    {"i40e", "ip6InDiscards", kError, "packets received and dropped"},
    {"i40e", "tcpRetransSegs", kError, "segments sent again"},
    {"i40e", "ethtool_port.link_xoff_rx", kCongestion, "pause frames received"},
    {"i40e", "ethtool_port.link_xoff_tx", kCongestion, "pause frames sent"},
    {"efa", "rx_drops", kError, "packets received and dropped"},
    {"efa", "rdma_read_wr_err", kError, "READs that failed"},
};

bool Matches(std::string_view pattern, std::string_view name) {
  return std::equal(pattern.begin(), pattern.end(), name.begin(), name.end(),
                    [](char row, char c) { return row == '#' ? c >= '0' && c <= '9' : row == c; });
}

}  // namespace

std::span<const CounterMeaning> CounterTable() { return kTable; }

const CounterMeaning* FindCounter(std::string_view driver, std::string_view name) {
  driver = driver.substr(0, driver.find('.'));  // "mlx5_core.sf": a scalable function
  const CounterMeaning* found = nullptr;
  for (const CounterMeaning& row : kTable) {
    if (!Matches(row.name, name) || (!row.driver.empty() && row.driver != driver)) continue;
    if (found == nullptr || found->driver.empty()) found = &row;
  }
  return found;
}

}  // namespace rdmabench
