// What can be measured on the wire: one row an operation. "<name>_bw" and "<name>_lat" follow from
// it.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "transport/qp_type.h"

namespace rdmabench {

// How the answer to a request is seen.
enum class Reply { kMemory, kReceive, kCompletion };

struct Op {
  std::string_view name;   // "write"
  std::string_view words;  // "RDMA WRITE", for help and reports
  void (*fill)(ibv_send_wr&, const Target&);
  int peer_access;  // IBV_ACCESS_* that the target needs on its memory
  Reply reply;
  std::uint32_t fixed_size;   // bytes of a message when the op allows no other, else 0
  bool inline_ok;             // the payload travels with the request
  std::string_view qp_types;  // names of the legal queue pair types, separated by spaces
};

std::span<const Op> Ops();
const Op& FindOp(std::string_view name);

// Whether the table has the pair.
bool IsLegal(const Op& op, const QpType& type);

}  // namespace rdmabench
