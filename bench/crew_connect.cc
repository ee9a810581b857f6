// The part of a crew that tells the peer of its queue pairs and connects them.
#include <nlohmann/json.hpp>
#include <string>

#include "bench/crew.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

using nlohmann::json;

json DoorToJson(const CmDoor& door) {
  return {{"ip", door.ip}, {"port", door.port}, {"token", door.token}};
}

CmDoor DoorFromJson(JsonReader reader) {
  CmDoor door;
  door.ip = reader.Text("ip");
  door.port = static_cast<std::uint16_t>(reader.Number("port", 1, 65535));
  door.token = reader.Number("token", 0, ~std::uint64_t{0});
  reader.Done();
  return door;
}

}  // namespace

json Crew::Local() const {
  json list = json::array();
  for (const std::unique_ptr<Worker>& worker : workers_) {
    json entry = {{"peer", PeerInfoToJson(worker->endpoint().Local())}};
    if (worker->control() != nullptr) {
      entry["control"] = PeerInfoToJson(worker->control()->Local());
    }
    list.push_back(std::move(entry));
  }
  json body = {{"workers", std::move(list)}};
  if (listener_) body["rdma_cm"] = DoorToJson(listener_->door());
  return body;
}

void Crew::Connect(const json& peer, Deadline deadline) {
  JsonReader reader(peer, "peer");
  std::vector<JsonReader> entries = reader.Objects("workers", workers_.size());
  std::optional<CmDoor> door;
  if (reader.Has("rdma_cm")) door = DoorFromJson(reader.Object("rdma_cm"));
  reader.Done();
  if (entries.size() != workers_.size()) {
    throw Error(Blame::kRun, "the peer has " + std::to_string(entries.size()) +
                                 " workers, and this side " + std::to_string(workers_.size()));
  }
  std::vector<PeerInfo> peers;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const std::uint32_t pairs = QueuePairsOf(setting_.plan.queue, static_cast<std::uint32_t>(i));
    peers.push_back(PeerInfoFromJson(entries[i].Raw("peer"), pairs));
    if (workers_[i]->control() != nullptr) {
      workers_[i]->control()->Connect(PeerInfoFromJson(entries[i].Raw("control"), 1));
    }
    entries[i].Done();
  }
  if (setting_.plan.queue.rdma_cm) {
    ConnectByCm(peers, door, deadline);
    return;
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i]->endpoint().Connect(peers[i]);
}

// The address that rdma_cm has to resolve to the agreed device: the GID's own, where there is one.
std::string Crew::GidAddress(Role role) const {
  const Path& path = setting_.agreement.paths.front();
  const std::optional<Gid>& gid = role == Role::kClient ? path.client_gid : path.server_gid;
  if (gid) return gid->Text();
  return role == setting_.role ? setting_.session.local().ip : setting_.session.peer().ip;
}

CmOptions Crew::OptionsForCm() const {
  CmOptions options;
  options.type = &type_;
  options.attributes = workers_.front()->endpoint().attributes();
  options.mtu_bytes = setting_.agreement.paths.front().mtu_bytes;
  if (setting_.role == Role::kClient) options.source_ip = GidAddress(Role::kClient);
  if (setting_.plan.link.traffic_class != 0) {
    options.type_of_service = static_cast<std::uint8_t>(setting_.plan.link.traffic_class);
  }
  return options;
}

void Crew::ConnectByCm(const std::vector<PeerInfo>& peers, const std::optional<CmDoor>& door,
                       Deadline deadline) {
  std::vector<ibv_qp*> qps;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    for (const Qp& qp : worker->endpoint().queue_pairs()) qps.push_back(qp.get());
  }
  const std::atomic<bool>& give_up = setting_.session.abort_flag();
  try {
    if (setting_.role == Role::kServer) {
      connections_.emplace(std::move(*listener_).Accept(qps, deadline, give_up));
      listener_.reset();
    } else if (door) {
      connections_.emplace(CmConnect(*door, qps, OptionsForCm(), deadline, give_up));
    } else {
      throw Error(Blame::kRun, "the server has not told where its rdma_cm listens");
    }
  } catch (const Error& error) {
    // Why it was given up, the session knows: the peer is gone, has failed, or the user interrupts.
    if (error.blame() != Blame::kInterrupted) throw;
    throw setting_.session.failure().value_or(error);
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i]->endpoint().Adopt(peers[i], connections_->peers().front().qkey);
  }
}

}  // namespace rdmabench
