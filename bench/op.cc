#include "bench/op.h"

#include <cassert>

namespace rdmabench {
namespace {

void Write(ibv_send_wr& request, const Target& to) {
  request.opcode = IBV_WR_RDMA_WRITE;
  request.wr.rdma = {.remote_addr = to.addr, .rkey = to.rkey};
}

constexpr Op kOps[] = {
    {"write", "RDMA WRITE", Write, IBV_ACCESS_REMOTE_WRITE, Reply::kMemory, 0, true, "rc"},
};

}  // namespace

std::span<const Op> Ops() { return kOps; }

const Op& FindOp(std::string_view name) {
  for (const Op& op : kOps) {
    if (op.name == name) return op;
  }
  assert(false && "tests are made from the rows of this table");
  return kOps[0];
}

bool IsLegal(const Op& op, const QpType& type) {
  std::string_view rest = op.qp_types;
  while (!rest.empty()) {
    const std::size_t space = rest.find(' ');
    if (rest.substr(0, space) == type.name) return true;
    rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
  }
  return false;
}

}  // namespace rdmabench
