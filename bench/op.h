// What can be measured on the wire: one row an operation. "<name>_bw" and "<name>_lat" follow from
// it.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "transport/qp_type.h"

namespace rdmabench {

// How the answer to a request is seen in a latency test, and what the peer has to do for it: watch
// its memory, post receives, or nothing.
enum class Reply { kMemory, kReceive, kCompletion };

struct Op {
  std::string_view name;   // "write"
  std::string_view words;  // "RDMA WRITE", for help and reports
  void (*fill)(ibv_send_wr&, const Target&);
  int peer_access;  // IBV_ACCESS_* that the target needs on its memory
  Reply reply;
  std::uint32_t fixed_size;   // bytes of a message when the op allows no other, else 0
  bool inline_ok;             // the payload travels with the request
  bool immediate;             // carries four bytes beside the payload
  std::string_view qp_types;  // names of the legal queue pair types, separated by spaces
  // What completions of the request and, where there are any, of the receive have to say.
  ibv_wc_opcode sent;
  ibv_wc_opcode received;
  std::uint32_t odp_request;  // IBV_ODP_SUPPORT_*

  bool IsAtomic() const { return (peer_access & IBV_ACCESS_REMOTE_ATOMIC) != 0; }
  // The peer's queue takes a receive request a message.
  bool TakesReceives() const { return reply == Reply::kReceive; }
  // The initiator's device waits for an answer with data: outstanding ones are limited.
  bool IsBoundByReadDepth() const { return reply == Reply::kCompletion; }
};

std::span<const Op> Ops();
const Op& FindOp(std::string_view name);
// "send", "recv", "rdma_write", … as reports name a completion's opcode.
std::string_view OpcodeName(ibv_wc_opcode opcode);

// Whether the table has the pair.
bool IsLegal(const Op& op, const QpType& type);

}  // namespace rdmabench
