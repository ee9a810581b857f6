#include "bench/op.h"

#include <cassert>

namespace rdmabench {
namespace {

void Write(ibv_send_wr& request, const Target& to) {
  request.opcode = IBV_WR_RDMA_WRITE;
  request.wr.rdma = {.remote_addr = to.addr, .rkey = to.rkey};
}

void WriteImm(ibv_send_wr& request, const Target& to) {
  Write(request, to);
  request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
}

void Read(ibv_send_wr& request, const Target& to) {
  request.opcode = IBV_WR_RDMA_READ;
  request.wr.rdma = {.remote_addr = to.addr, .rkey = to.rkey};
}

void Send(ibv_send_wr& request, const Target& /*to*/) { request.opcode = IBV_WR_SEND; }

void SendImm(ibv_send_wr& request, const Target& /*to*/) { request.opcode = IBV_WR_SEND_WITH_IMM; }

void FetchAdd(ibv_send_wr& request, const Target& to) {
  request.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
  request.wr.atomic = {.remote_addr = to.addr, .compare_add = 1, .swap = 0, .rkey = to.rkey};
}

// Compares with what is there at first, so that the swap is carried out, and stores it again, so
// that it is the next time.
void CompareSwap(ibv_send_wr& request, const Target& to) {
  request.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
  request.wr.atomic = {.remote_addr = to.addr, .compare_add = 0, .swap = 0, .rkey = to.rkey};
}

constexpr int kWrite = IBV_ACCESS_REMOTE_WRITE;
constexpr int kRead = IBV_ACCESS_REMOTE_READ;
constexpr int kAtomic = IBV_ACCESS_REMOTE_ATOMIC;
constexpr ibv_wc_opcode kImm = IBV_WC_RECV_RDMA_WITH_IMM;

constexpr Op kOps[] = {
    {"write", "RDMA WRITE", Write, kWrite, Reply::kMemory, 0, true, false, "rc uc",
     IBV_WC_RDMA_WRITE, IBV_WC_RECV, IBV_ODP_SUPPORT_WRITE},
    {"write_imm", "RDMA WRITE with immediate", WriteImm, kWrite, Reply::kReceive, 0, true, true,
     "rc uc", IBV_WC_RDMA_WRITE, kImm, IBV_ODP_SUPPORT_WRITE},
    {"read", "RDMA READ", Read, kRead, Reply::kCompletion, 0, false, false, "rc", IBV_WC_RDMA_READ,
     IBV_WC_RECV, IBV_ODP_SUPPORT_READ},
    {"send", "SEND", Send, 0, Reply::kReceive, 0, true, false, "rc uc ud", IBV_WC_SEND, IBV_WC_RECV,
     IBV_ODP_SUPPORT_SEND},
    {"send_imm", "SEND with immediate", SendImm, 0, Reply::kReceive, 0, true, true, "rc uc ud",
     IBV_WC_SEND, IBV_WC_RECV, IBV_ODP_SUPPORT_SEND},
    {"fetch_add", "atomic FETCH AND ADD", FetchAdd, kAtomic, Reply::kCompletion, 8, false, false,
     "rc", IBV_WC_FETCH_ADD, IBV_WC_RECV, IBV_ODP_SUPPORT_ATOMIC},
    {"cmp_swap", "atomic COMPARE AND SWAP", CompareSwap, kAtomic, Reply::kCompletion, 8, false,
     false, "rc", IBV_WC_COMP_SWAP, IBV_WC_RECV, IBV_ODP_SUPPORT_ATOMIC},
};

struct OpcodeRow {
  ibv_wc_opcode opcode;
  std::string_view name;
};

constexpr OpcodeRow kOpcodes[] = {
    {IBV_WC_SEND, "send"},           {IBV_WC_RDMA_WRITE, "rdma_write"},
    {IBV_WC_RDMA_READ, "rdma_read"}, {IBV_WC_COMP_SWAP, "comp_swap"},
    {IBV_WC_FETCH_ADD, "fetch_add"}, {IBV_WC_RECV, "recv"},
    {kImm, "recv_rdma_with_imm"},
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

std::string_view OpcodeName(ibv_wc_opcode opcode) {
  for (const OpcodeRow& row : kOpcodes) {
    if (row.opcode == opcode) return row.name;
  }
  return "unknown";
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
