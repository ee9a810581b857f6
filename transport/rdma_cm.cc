#include "transport/rdma_cm.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <deque>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include "transport/error.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSlice{50};     // between two looks at the clock and the wish to stop
constexpr milliseconds kPause{100};    // before another attempt
constexpr milliseconds kGoodbye{500};  // for all answers to it
constexpr int kResolveMs = 2000;       // one attempt to resolve; the deadline may allow several
constexpr std::size_t kInFlight = 64;  // requests that wait for an answer at once
constexpr int kBacklog = 1024;         // what the kernel allows by default

Deadline NextLook(Deadline deadline, const std::atomic<bool>& give_up) {
  if (give_up) throw Error(Blame::kInterrupted, "connecting by rdma_cm was given up");
  return std::min(deadline, In(kSlice));
}

// Of the calls or the guests, all of them connected. A datagram service's ids have done their work;
// nothing is left that could be ended.
template <class Side>
CmConnections Connections(CmChannel channel, const CmService& service, std::vector<Side>& sides) {
  std::vector<CmId> ids;
  std::vector<CmPeer> peers;
  for (Side& side : sides) {
    peers.push_back(side.peer);
    if (service.connected) ids.push_back(std::move(side.id));
    side.id.reset();
  }
  return {std::move(channel), std::move(ids), std::move(peers)};
}

// The connecting side of all queue pairs.
class Dialer {
 public:
  Dialer(const CmDoor& door, const CmPairs& pairs, const CmOptions& options);
  CmConnections Run(Deadline deadline, const std::atomic<bool>& give_up) &&;

 private:
  // One queue pair's way to its connection; it may take several attempts, each with an id of its
  // own.
  struct Call {
    std::size_t index = 0;
    CmId id;
    Deadline not_before;
    std::optional<Error> problem;  // of the attempt before
    CmPeer peer;
    bool done = false;
  };

  void Start(Call& call);
  void Handle(const CmEvent& event);
  void Request(Call& call);
  void Finish(Call& call, const CmPeer& peer);
  void Fail(Call& call, const CmEvent& event);
  std::string Attempted(const Call& call) const;
  [[noreturn]] void ThrowLate() const;

  const CmDoor& door_;
  CmAddress to_;
  std::optional<CmAddress> from_;
  const CmPairs& pairs_;
  const CmOptions& options_;
  CmChannel channel_;  // outlives the ids
  // One a queue pair, and for a datagram service a last one, the farewell: answers may be lost
  // there, and the peer has to go on answering until all have arrived.
  std::vector<Call> calls_;
  std::deque<Call*> waiting_;  // the earliest first
  std::size_t in_flight_ = 0;
  std::size_t done_ = 0;
};

Dialer::Dialer(const CmDoor& door, const CmPairs& pairs, const CmOptions& options)
    : door_(door),
      to_(door.ip, door.port),
      pairs_(pairs),
      options_(options),
      calls_(pairs.size() + (pairs.service().connected ? 0 : 1)) {
  if (!options.source_ip.empty()) from_.emplace(options.source_ip, std::uint16_t{0});
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    calls_[i].index = i;
    if (i < pairs.size()) waiting_.push_back(&calls_[i]);
  }
}

CmConnections Dialer::Run(Deadline deadline, const std::atomic<bool>& give_up) && {
  while (done_ < calls_.size()) {
    if (Now() >= deadline) ThrowLate();
    const Deadline look = NextLook(deadline, give_up);
    while (in_flight_ < kInFlight && !waiting_.empty() && waiting_.front()->not_before <= Now()) {
      Call& call = *waiting_.front();
      waiting_.pop_front();
      Start(call);
    }
    if (const std::optional<CmEvent> event = channel_.Next(look)) Handle(*event);
  }
  calls_.resize(pairs_.size());
  return Connections(std::move(channel_), pairs_.service(), calls_);
}

void Dialer::Start(Call& call) {
  ++in_flight_;
  call.id = channel_.MakeId(pairs_.service().port_space, &call);
  if (options_.type_of_service) {
    std::uint8_t type_of_service = *options_.type_of_service;
    CheckErrno(rdma_set_option(call.id.get(), RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &type_of_service,
                               sizeof type_of_service),
               "cannot set rdma_cm's type of service to " + std::to_string(type_of_service));
  }
  if (rdma_resolve_addr(call.id.get(), from_ ? from_->get() : nullptr, to_.get(), kResolveMs) !=
      0) {
    Fail(call, {.type = RDMA_CM_EVENT_ADDR_ERROR, .id = call.id.get(), .status = -errno});
  }
}

void Dialer::Handle(const CmEvent& event) {
  Call& call = *static_cast<Call*>(event.id->context);
  if (IsFailure(event)) return Fail(call, event);
  switch (event.type) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      pairs_.CheckDevice(event.id);
      if (rdma_resolve_route(event.id, kResolveMs) != 0) {
        Fail(call, {.type = RDMA_CM_EVENT_ROUTE_ERROR, .id = event.id, .status = -errno});
      }
      return;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
      return Request(call);
    case RDMA_CM_EVENT_CONNECT_RESPONSE: {
      const CmPeer peer = pairs_.MoveToRts(call.index, event.id);
      if (rdma_establish(event.id) != 0) ThrowCmWithdrawn(errno, Attempted(call));
      return Finish(call, peer);
    }
    case RDMA_CM_EVENT_ESTABLISHED:
      pairs_.MoveToRts(call.index, event.id);
      return Finish(call, {.qpn = event.qpn, .qkey = event.qkey, .path = event.path});
    default:
      return;
  }
}

void Dialer::Request(Call& call) {
  const bool farewell = call.index == pairs_.size();
  const CmHello hello = {.token = door_.token,
                         .index = static_cast<std::uint32_t>(call.index),
                         .qpn = farewell ? 0 : pairs_.QpnOf(call.index),
                         .qkey = farewell ? 0 : pairs_.MoveToInit(call.index, call.id.get())};
  const CmHelloBytes bytes = WriteCmHello(hello);
  rdma_conn_param param = pairs_.Parameters(hello.qpn, RDMA_MAX_RESP_RES, RDMA_MAX_INIT_DEPTH);
  param.private_data = bytes.data();
  param.private_data_len = bytes.size();
  CheckErrno(rdma_connect(call.id.get(), &param), Attempted(call), CmLateRemedy());
}

void Dialer::Finish(Call& call, const CmPeer& peer) {
  call.peer = peer;
  call.done = true;
  ++done_;
  --in_flight_;
  if (done_ == pairs_.size() && done_ < calls_.size()) waiting_.push_back(&calls_.back());
}

void Dialer::Fail(Call& call, const CmEvent& event) {
  // A farewell is refused, or nobody listens any more, as it was heard before.
  if (call.index == pairs_.size() && IsRefusal(event)) return Finish(call, {});
  if (call.done || !IsTransient(event)) {
    throw CmError(event, Attempted(call));
  }
  call.problem = CmError(event, Attempted(call) + " in time");
  call.id.reset();
  call.not_before = In(kPause);
  waiting_.push_back(&call);
  --in_flight_;
}

std::string Dialer::Attempted(const Call& call) const {
  std::string from = options_.source_ip;
  if (call.id != nullptr && call.id->verbs != nullptr) {
    from = CmAddressText(rdma_get_local_addr(call.id.get()));
  }
  return "cannot connect " + pairs_.NameOf(call.index) + " by rdma_cm" +
         (from.empty() ? "" : " from " + from) + " to " + door_.ip + " port " +
         std::to_string(door_.port);
}

void Dialer::ThrowLate() const {
  // One that has failed before can say more than one that never had its turn.
  const Call* late = nullptr;
  for (const Call& call : calls_) {
    if (call.done) continue;
    if (late == nullptr || (!late->problem && call.problem)) late = &call;
  }
  assert(late != nullptr);
  if (late->problem) throw Error(*late->problem);
  throw CmLateError(Attempted(*late) + " in time: the peer did not answer");
}

// The accepting side of all queue pairs.
class Host {
 public:
  Host(const CmChannel& channel, const CmDoor& door, const CmPairs& pairs)
      : channel_(channel), door_(door), pairs_(pairs), guests_(pairs.size()) {}
  void Run(Deadline deadline, const std::atomic<bool>& give_up);
  CmConnections End(CmChannel channel) &&;

 private:
  struct Guest {
    CmId id;
    CmPeer peer;
    bool connected = false;
  };

  void Handle(const CmEvent& event);
  void Answer(CmId id, const CmEvent& event);
  [[noreturn]] void ThrowLost(const Guest* guest, const CmEvent& event) const;
  std::string Attempted(std::size_t index) const;
  [[noreturn]] void ThrowLate() const;

  const CmChannel& channel_;
  const CmDoor& door_;
  const CmPairs& pairs_;
  std::vector<Guest> guests_;
  std::size_t connected_ = 0;
  bool farewell_ = false;  // see Dialer
  std::size_t turned_away_ = 0;
};

void Host::Run(Deadline deadline, const std::atomic<bool>& give_up) {
  while (connected_ < guests_.size() || (!pairs_.service().connected && !farewell_)) {
    if (Now() >= deadline) ThrowLate();
    const Deadline look = NextLook(deadline, give_up);
    if (const std::optional<CmEvent> event = channel_.Next(look)) Handle(*event);
  }
}

CmConnections Host::End(CmChannel channel) && {
  return Connections(std::move(channel), pairs_.service(), guests_);
}

void Host::Handle(const CmEvent& event) {
  Guest* guest = static_cast<Guest*>(event.id->context);
  if (IsFailure(event)) ThrowLost(guest, event);
  switch (event.type) {
    case RDMA_CM_EVENT_CONNECT_REQUEST:
      return Answer(CmId(event.id), event);
    case RDMA_CM_EVENT_ESTABLISHED:
      if (guest != nullptr && !guest->connected) {
        guest->connected = true;
        ++connected_;
      }
      return;
    default:
      return;
  }
}

void Host::Answer(CmId id, const CmEvent& event) {
  const CmHello hello = ReadCmHello(event);
  const bool ours = hello.token == door_.token;
  const bool known = ours && hello.index < guests_.size();
  // A datagram service may be asked again, when its answer was lost.
  const bool again = known && guests_[hello.index].id != nullptr;
  if (!known || (again && pairs_.service().connected)) {
    const bool farewell = ours && hello.index == guests_.size();
    farewell_ = farewell_ || farewell;
    turned_away_ += farewell ? 0 : 1;
    rdma_reject(id.get(), nullptr, 0);
    return;
  }
  Guest& guest = guests_[hello.index];
  guest.id = std::move(id);
  guest.id->context = &guest;
  if (!again) {
    pairs_.CheckDevice(event.id);
    pairs_.MoveToInit(hello.index, event.id);
    guest.peer = pairs_.MoveToRts(hello.index, event.id);
  }
  rdma_conn_param param = pairs_.Parameters(pairs_.QpnOf(hello.index), event.responder_resources,
                                            event.initiator_depth);
  if (rdma_accept(event.id, &param) != 0) {
    ThrowCmWithdrawn(errno, Attempted(hello.index));
  }
  if (again || pairs_.service().connected) return;
  guest.peer = {.qpn = hello.qpn, .qkey = hello.qkey, .path = std::nullopt};
  guest.connected = true;
  ++connected_;
}

std::string Host::Attempted(std::size_t index) const {
  return "cannot accept " + pairs_.NameOf(index) + " by rdma_cm at " + door_.ip + " port " +
         std::to_string(door_.port);
}

void Host::ThrowLost(const Guest* guest, const CmEvent& event) const {
  const std::string peer = CmAddressText(rdma_get_peer_addr(event.id));
  const std::size_t index =
      guest == nullptr ? guests_.size() : static_cast<std::size_t>(guest - guests_.data());
  throw CmError(event, Attempted(index) + (peer.empty() ? "" : " from " + peer));
}

void Host::ThrowLate() const {
  const auto late = std::find_if(guests_.begin(), guests_.end(),
                                 [](const Guest& guest) { return !guest.connected; });
  std::string reason = "the peer did not ask for it";
  if (late == guests_.end() || late->id != nullptr) reason = "the peer did not confirm our answer";
  if (turned_away_ > 0) {
    reason += "; " + std::to_string(turned_away_) + " requests without our token were turned away";
  }
  throw CmLateError(Attempted(static_cast<std::size_t>(late - guests_.begin())) +
                    " in time: " + reason);
}

constexpr std::string_view kListenRemedy =
    "rdma_cm needs the address of an RDMA device's network interface (rdma link; ip addr), also "
    "when both sides are on one machine: 127.0.0.1 and ::1 will not do";

// Never 0, as which a request without private data reads.
std::uint64_t RandomToken() {
  std::random_device random;
  constexpr int kHalf = 32;
  return std::uint64_t{random()} << kHalf | random() | 1;
}

}  // namespace

CmConnections::CmConnections(CmChannel channel, std::vector<CmId> ids, std::vector<CmPeer> peers)
    : channel_(std::move(channel)), ids_(std::move(ids)), peers_(std::move(peers)) {}

CmConnections::~CmConnections() {
  // Each brings one DISCONNECTED, also when the peer was faster.
  auto unanswered = std::count_if(ids_.begin(), ids_.end(),
                                  [](const CmId& id) { return rdma_disconnect(id.get()) == 0; });
  try {
    const Deadline until = In(kGoodbye);
    while (unanswered > 0) {
      const std::optional<CmEvent> event = channel_.Next(until);
      if (!event) return;
      if (event->type == RDMA_CM_EVENT_DISCONNECTED) --unanswered;
    }
  } catch (const Error&) {
    // Nobody is left who could make use of it: the run is over, and the ids end in any case.
  }
}

CmListener::CmListener(const std::string& ip, const CmOptions& options)
    : options_(options), id_(channel_.MakeId(CmServiceOf(options).port_space, nullptr)) {
  CmAddress address(ip, 0);
  const std::string attempted = "cannot listen by rdma_cm at " + ip;
  CheckErrno(rdma_bind_addr(id_.get(), address.get()), attempted, kListenRemedy);
  // Loopback's addresses can be bound to, and nobody can reach a device by them.
  if (id_->verbs == nullptr) ThrowErrno(ENODEV, attempted, kListenRemedy);
  CheckErrno(rdma_listen(id_.get(), kBacklog), attempted, kListenRemedy);
  door_ = {.ip = ip, .port = ntohs(rdma_get_src_port(id_.get())), .token = RandomToken()};
}

CmConnections CmListener::Accept(std::span<ibv_qp* const> qps, Deadline deadline,
                                 const std::atomic<bool>& give_up) && {
  const CmPairs pairs(qps, options_);
  pairs.CheckDevice(id_.get());
  Host host(channel_, door_, pairs);
  host.Run(deadline, give_up);
  id_.reset();
  return std::move(host).End(std::move(channel_));
}

CmConnections CmConnect(const CmDoor& door, std::span<ibv_qp* const> qps, const CmOptions& options,
                        Deadline deadline, const std::atomic<bool>& give_up) {
  const CmPairs pairs(qps, options);
  return Dialer(door, pairs, options).Run(deadline, give_up);
}

}  // namespace rdmabench
