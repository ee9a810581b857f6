#include "transport/endpoint.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <random>
#include <string>
#include <utility>

#include "transport/call_error.h"
#include "transport/endpoint_limits.h"
#include "transport/error.h"
#include "transport/gid.h"
#include "transport/inline_probe.h"
#include "transport/joined.h"

namespace rdmabench {
namespace {

constexpr std::uint32_t kPsnMask = 0xffffff;

std::string Count(std::uint64_t number, std::string_view what) {
  return std::to_string(number) + " " + std::string(what);
}

// A type whose queue pairs are not told the path says with each request which way it goes.
bool NeedsAddressHandle(const QpType& type) { return (type.rtr_mask & IBV_QP_AV) == 0; }

int MemoryAccess(const EndpointOptions& options) {
  return options.access |
         (options.relaxed_ordering ? static_cast<int>(IBV_ACCESS_RELAXED_ORDERING) : 0);
}

struct CqPlan {
  std::uint32_t queues = 0;
  std::uint32_t depth = 0;
  std::uint32_t queues_per_cq = 0;
  ibv_comp_channel* channel = nullptr;
  std::uint32_t vector = 0;
};

std::vector<Cq> MakeCqs(ibv_context* context, const CqPlan& plan) {
  std::vector<Cq> cqs;
  for (std::uint32_t first = 0; first < plan.queues; first += plan.queues_per_cq) {
    const std::uint32_t entries = plan.depth * std::min(plan.queues_per_cq, plan.queues - first);
    Cq cq(ibv_create_cq(context, static_cast<int>(entries), nullptr, plan.channel,
                        static_cast<int>(plan.vector)));
    CheckCall(cq.get(), "ibv_create_cq",
              {.attempted = "cannot create a completion queue of " + Count(entries, "entries"),
               .locks = true});
    cqs.push_back(std::move(cq));
  }
  return cqs;
}

// What a queue pair hangs on.
struct Queues {
  ibv_cq* send_cq = nullptr;
  ibv_cq* recv_cq = nullptr;
  ibv_srq* srq = nullptr;
};

ibv_qp_init_attr InitialAttributes(const EndpointOptions& options, const Queues& queues,
                                   std::uint32_t inline_bytes) {
  ibv_qp_init_attr attr{};
  attr.send_cq = queues.send_cq;
  attr.recv_cq = queues.recv_cq;
  attr.srq = queues.srq;
  attr.qp_type = options.type->verbs;
  attr.cap = {.max_send_wr = options.send_depth,
              .max_recv_wr = queues.srq != nullptr ? 0 : options.recv_depth,
              .max_send_sge = 1,
              .max_recv_sge = 1,
              .max_inline_data = inline_bytes};
  return attr;
}

std::string NameOf(const QpType& type, std::size_t index) {
  return std::string(type.name) + " queue pair " + std::to_string(index + 1);
}

CompletionChannel MakeChannel(ibv_context* context, const EndpointOptions& options) {
  if (!options.events) return nullptr;
  const int vectors = context->num_comp_vectors;
  if (options.completion_vector >= static_cast<std::uint32_t>(vectors)) {
    throw Error(Blame::kEnvironment,
                "completion vector " + std::to_string(options.completion_vector) +
                    " was asked for, and the device has " + std::to_string(vectors),
                "use one from 0 to " + std::to_string(vectors - 1) + " (-X)");
  }
  return CompletionChannel(CheckCall(ibv_create_comp_channel(context), "ibv_create_comp_channel",
                                     {.attempted = "cannot create a completion channel"}));
}

Srq MakeSrq(ibv_pd* pd, const EndpointOptions& options) {
  if (!options.use_srq) return nullptr;
  ibv_srq_init_attr attr{};
  attr.attr = {.max_wr = options.recv_depth, .max_sge = 1, .srq_limit = 0};
  return Srq(CheckCall(ibv_create_srq(pd, &attr), "ibv_create_srq",
                       {.attempted = "cannot create a shared receive queue of " +
                                     Count(options.recv_depth, "requests"),
                        .locks = true}));
}

[[noreturn]] void ThrowCreation(int code, const EndpointOptions& options, std::uint32_t index,
                                std::uint32_t inline_bytes) {
  ThrowCall("ibv_create_qp", code,
            {.attempted = "cannot create " + NameOf(*options.type, index) + " of " +
                          std::to_string(options.queue_pairs) + " (send depth " +
                          std::to_string(options.send_depth) + ", receive depth " +
                          std::to_string(options.recv_depth) + ", inline " +
                          std::to_string(inline_bytes) + ")",
             .locks = true});
}

[[noreturn]] void ThrowInlineRefused(const EndpointOptions& options, std::uint32_t granted) {
  throw Error(Blame::kEnvironment,
              Count(*options.inline_bytes, "bytes inline") +
                  " were asked for, and the device grants " + std::to_string(granted) +
                  " (send depth " + std::to_string(options.send_depth) + ")",
              "ask for at most " + std::to_string(granted) + " (-I)");
}

// What every queue pair can be asked to grant: the value asked for exactly, or as much of the wish
// as the device has.
std::uint32_t GrantedInline(ibv_pd* pd, const EndpointOptions& options, const Queues& queues) {
  const std::uint32_t wanted = options.inline_bytes.value_or(options.inline_wish);
  if (wanted == 0) return 0;
  ibv_qp_init_attr attr = InitialAttributes(options, queues, wanted);
  Qp qp(ibv_create_qp(pd, &attr));
  if (qp != nullptr && attr.cap.max_inline_data >= wanted) return wanted;
  const ibv_qp_init_attr plain = InitialAttributes(options, queues, 0);
  const std::uint32_t granted =
      qp != nullptr ? attr.cap.max_inline_data : MostInline(pd, plain, wanted);
  if (!options.inline_bytes) return granted;
  // Creation may fail for other reasons; those are told by an attempt without inline.
  attr = plain;
  qp.reset(ibv_create_qp(pd, &attr));
  if (qp == nullptr) ThrowCreation(errno, options, 0, 0);
  ThrowInlineRefused(options, granted);
}

std::vector<std::uint32_t> RandomPsns(std::uint32_t count) {
  std::mt19937 generator(std::random_device{}());
  std::vector<std::uint32_t> psns(count);
  for (std::uint32_t& psn : psns) psn = static_cast<std::uint32_t>(generator()) & kPsnMask;
  return psns;
}

std::uint32_t FlowLabel(const EndpointOptions& options, std::size_t index) {
  const std::vector<std::uint32_t>& labels = options.attributes.flow_labels;
  return labels[index % labels.size()];
}

ibv_ah_attr PathTo(const EndpointOptions& options, const PeerInfo& remote,
                   std::uint32_t flow_label) {
  ibv_ah_attr path{};
  path.port_num = static_cast<std::uint8_t>(options.port);
  path.sl = options.attributes.service_level;
  path.dlid = remote.lid;
  if (!options.gid) return path;
  path.is_global = 1;
  path.grh = {.dgid = *remote.gid,
              .flow_label = flow_label,
              .sgid_index = static_cast<std::uint8_t>(options.gid->index),
              .hop_limit = options.attributes.hop_limit,
              .traffic_class = options.attributes.traffic_class};
  return path;
}

// Every attribute of one queue pair; the type's masks say which of them a transition takes.
ibv_qp_attr Attributes(const EndpointOptions& options, const ibv_ah_attr& path,
                       const PeerInfo::QueuePair& remote, std::uint32_t local_psn) {
  ibv_qp_attr attr{};
  attr.pkey_index = options.attributes.pkey_index;
  attr.port_num = static_cast<std::uint8_t>(options.port);
  attr.qp_access_flags = static_cast<unsigned>(options.access);
  attr.qkey = options.attributes.qkey;
  attr.ah_attr = path;
  attr.path_mtu = MtuFromBytes(options.mtu_bytes);
  attr.dest_qp_num = remote.qpn;
  attr.rq_psn = remote.psn;
  attr.sq_psn = local_psn;
  attr.max_rd_atomic = options.attributes.read_depth;
  attr.max_dest_rd_atomic = options.attributes.read_depth;
  attr.min_rnr_timer = options.attributes.min_rnr_timer;
  attr.timeout = options.attributes.timeout;
  attr.retry_cnt = options.attributes.retry_count;
  attr.rnr_retry = options.attributes.rnr_retry;
  return attr;
}

struct Transition {
  ibv_qp_state state;
  int mask;
  std::string_view name;
  std::string_view call;  // as the catalogue has it
};

// `by`: the path, for the error's text.
void Move(ibv_qp* qp, ibv_qp_attr attr, const Transition& to, const std::string& queue_pair,
          const std::string& by) {
  attr.qp_state = to.state;
  const int code = ibv_modify_qp(qp, &attr, to.mask);
  if (code == 0) return;
  ThrowCall(to.call, code,
            {.attempted = "cannot bring " + queue_pair + " to " + std::string(to.name) + by});
}

std::string PathText(const EndpointOptions& options, std::uint16_t lid, const PeerInfo& remote) {
  std::string text;
  if (options.gid) {
    text = "GID " + std::to_string(options.gid->index) + " " + options.gid->Text() + " (" +
           std::string(GidTypeName(options.gid->type)) + ") to " + GidText(*remote.gid);
  }
  if (remote.lid != 0) {
    AppendWord(text, "LID " + std::to_string(lid) + " to " + std::to_string(remote.lid));
  }
  return text + ", MTU " + std::to_string(options.mtu_bytes);
}

void CheckPeer(const EndpointOptions& options, std::uint16_t lid, const PeerInfo& remote) {
  if (remote.queue_pairs.size() != options.queue_pairs) {
    throw Error(Blame::kRun, "the peer has " + Count(remote.queue_pairs.size(), "queue pairs") +
                                 ", and this side " + std::to_string(options.queue_pairs));
  }
  if (options.gid && !remote.gid) {
    throw Error(Blame::kRun, "this side is addressed by GID, and the peer told none");
  }
  if (!options.gid && (lid == 0 || remote.lid == 0)) {
    throw Error(Blame::kEnvironment,
                std::string(lid == 0 ? "this side's" : "the peer's") +
                    " port has no LID, and no GID was chosen",
                "is a subnet manager (opensm) running on this fabric?");
  }
}

}  // namespace

Endpoint::Endpoint(const Device& device, const EndpointOptions& options)
    : options_(Checked(device, options)),
      lid_(device.ActivePort(options.port).lid),
      pd_(CheckCall(ibv_alloc_pd(device.context()), "ibv_alloc_pd",
                    {.attempted = "cannot allocate a protection domain"})),
      memory_(pd_.get(), *options.memory_kind,
              BufferRequest{.bytes = options.own_bytes + options.exposed_bytes,
                            .numa_node = options.numa_node,
                            .argument = options.memory_argument,
                            .others = options.memory_others,
                            .file_offset = options.memory_file_offset},
              MemoryAccess(options), options.mr_per_qp ? options.queue_pairs : 1),
      channel_(MakeChannel(device.context(), options)),
      srq_(MakeSrq(pd_.get(), options)),
      psns_(RandomPsns(options.queue_pairs)) {
  const std::uint32_t pairs = options.queue_pairs;
  const std::uint32_t queues = ReceiveQueues(options);
  const std::uint32_t max_cqe = device.info().limits.max_cqe;
  const std::uint32_t per_send_cq = QueuesPerCq(pairs, options.send_depth, max_cqe);
  const std::uint32_t per_recv_cq = QueuesPerCq(queues, options.recv_depth, max_cqe);
  CqPlan plan{pairs, options.send_depth, per_send_cq, channel_.get(), options.completion_vector};
  send_cqs_ = MakeCqs(device.context(), plan);
  plan.queues = queues;
  plan.depth = options.recv_depth;
  plan.queues_per_cq = per_recv_cq;
  recv_cqs_ = MakeCqs(device.context(), plan);

  const auto queues_of = [&](std::uint32_t index) {
    return Queues{send_cqs_[index / per_send_cq].get(),
                  recv_cqs_[srq_ ? 0 : index / per_recv_cq].get(), srq_.get()};
  };
  const std::uint32_t inline_bytes = GrantedInline(pd_.get(), options, queues_of(0));
  const ibv_qp_attr attr = Attributes(options, {}, {}, 0);
  const Transition to_init{IBV_QPS_INIT, options.type->init_mask, "INIT", "ibv_modify_qp:init"};
  for (std::uint32_t i = 0; i < pairs; ++i) {
    ibv_qp_init_attr initial = InitialAttributes(options, queues_of(i), inline_bytes);
    Qp qp(ibv_create_qp(pd_.get(), &initial));
    if (qp == nullptr) ThrowCreation(errno, options, i, inline_bytes);
    const std::uint32_t granted = initial.cap.max_inline_data;
    inline_bytes_ = i == 0 ? granted : std::min(inline_bytes_, granted);
    Move(qp.get(), attr, to_init, NameOf(*options.type, i), "");
    qps_.push_back(std::move(qp));
  }
}

PeerInfo Endpoint::Local() const {
  PeerInfo info{.lid = lid_,
                .gid = options_.gid ? std::optional(options_.gid->raw) : std::nullopt,
                .addr = exposed_addr(),
                .bytes = options_.exposed_bytes,
                .rkey = memory_.rkey(),
                .queue_pairs = {}};
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    info.queue_pairs.push_back({.qpn = qps_[i]->qp_num, .psn = psns_[i]});
    if (options_.mr_per_qp) info.queue_pairs.back().rkey = memory_.rkey(i);
  }
  return info;
}

void Endpoint::Connect(const PeerInfo& remote) {
  CheckPeer(options_, lid_, remote);
  const QpType& type = *options_.type;
  const Transition steps[] = {{IBV_QPS_RTR, type.rtr_mask, "RTR", "ibv_modify_qp:rtr"},
                              {IBV_QPS_RTS, type.rts_mask, "RTS", "ibv_modify_qp:rts"}};
  const std::string by = " (" + PathText(options_, lid_, remote) + ")";
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    const ibv_ah_attr path = PathTo(options_, remote, FlowLabel(options_, i));
    const ibv_qp_attr attr = Attributes(options_, path, remote.queue_pairs[i], psns_[i]);
    for (const Transition& to : steps) Move(qps_[i].get(), attr, to, NameOf(type, i), by);
  }
  MakeAddressHandles(remote);
  remote_ = remote;
}

void Endpoint::Adopt(const PeerInfo& remote, std::uint32_t qkey) {
  CheckPeer(options_, lid_, remote);
  options_.attributes.qkey = qkey;
  MakeAddressHandles(remote);
  remote_ = remote;
}

void Endpoint::MakeAddressHandles(const PeerInfo& remote) {
  if (!NeedsAddressHandle(*options_.type)) return;
  const std::string by = " (" + PathText(options_, lid_, remote) + ")";
  for (const std::uint32_t flow_label : options_.attributes.flow_labels) {
    ibv_ah_attr handle = PathTo(options_, remote, flow_label);
    ahs_.emplace_back(CheckCall(ibv_create_ah(pd_.get(), &handle), "ibv_create_ah",
                                {.attempted = "cannot create an address handle" + by}));
  }
}

Target Endpoint::TargetOf(std::uint32_t index) const {
  assert(index < remote_.queue_pairs.size());
  return {.addr = remote_.addr,
          .rkey = remote_.queue_pairs[index].rkey.value_or(remote_.rkey),
          .ah = ahs_.empty() ? nullptr : ahs_[index % ahs_.size()].get(),
          .qpn = remote_.queue_pairs[index].qpn,
          .qkey = options_.attributes.qkey};
}

}  // namespace rdmabench
