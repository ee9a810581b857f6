#include "bench/device_watch.h"

#include <infiniband/verbs.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "transport/catalogue.h"
#include "transport/joined.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;

// A port that flaps for a day is no reason for a report of a day's length.
constexpr std::size_t kMostWarnings = 32;

std::string Ago(Deadline when) {
  using Tenths = std::chrono::duration<std::int64_t, std::deci>;
  return InSeconds(std::chrono::round<Tenths>(Now() - when));
}

// Absent: it cannot even be asked.
std::optional<ibv_port_state> StateOf(const Rail& rail) {
  ibv_port_attr attr{};
  const auto port = static_cast<std::uint8_t>(rail.port.number);
  if (ibv_query_port(rail.device.context(), port, &attr) != 0) return std::nullopt;
  return attr.state;
}

}  // namespace

DeviceWatch::DeviceWatch(const Site& site, Session& session, std::string_view side, Warn warn)
    : session_(session),
      side_(side),
      warn_(std::move(warn)),
      wake_(CheckErrno(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "cannot create an event")) {
  for (const Rail& rail : site.rails) {
    watched_.push_back({.rail = &rail, .events = AsyncEvents(rail.device.context())});
  }
  thread_ = std::thread([this] { Run(); });
}

DeviceWatch::~DeviceWatch() {
  eventfd_write(wake_.get(), 1);
  thread_.join();
}

void DeviceWatch::Run() {
  std::vector<int> fds = {wake_.get()};
  for (const Watched& watched : watched_) fds.push_back(watched.events.fd());
  try {
    for (;;) {
      const std::vector<bool> ready = WaitReady(fds, {}, Deadline::max());
      if (ready[0]) return;
      const std::lock_guard lock(mutex_);
      Look();
      // One that cannot be read any more would be ready for ever.
      for (std::size_t i = 0; i < watched_.size(); ++i) {
        if (watched_[i].events.broken()) fds[i + 1] = -1;
      }
    }
  } catch (const std::exception&) {
    // Without events a run fails later, and says less.
  }
}

void DeviceWatch::Look() {
  for (Watched& watched : watched_) {
    while (const std::optional<AsyncEvent> event = watched.events.Next()) Handle(watched, *event);
  }
}

void DeviceWatch::Handle(Watched& watched, const AsyncEvent& event) {
  const CatalogueRow* row = RowOfEvent(event.type);
  const bool is_other_port = event.port != 0 && event.port != watched.rail->port.number;
  if (row == nullptr || row->weight == Weight::kNothing || is_other_port) return;
  if (event.type == IBV_EVENT_PORT_ERR) {
    watched.down_since = Now();
    watched.up_since.reset();
  }
  if (event.type == IBV_EVENT_PORT_ACTIVE && watched.down_since) watched.up_since = Now();
  if (event.type == IBV_EVENT_DEVICE_FATAL) watched.has_failed = true;
  const std::string happened = watched.rail->device.info().name + " raised " + EventText(event);
  if (row->weight == Weight::kFailure) {
    session_.Abort(ErrorOf(*row, Blame::kRun, happened));
  } else {
    Record(std::string(side_) + ": " + happened + ": " + std::string(row->meaning) + "; " +
           AdviceOf(*row));
  }
}

void DeviceWatch::Record(const std::string& warning) {
  const bool is_known = std::find(known_.begin(), known_.end(), warning) != known_.end();
  if (is_known || known_.size() == kMostWarnings) return;
  known_.push_back(warning);
  if (warn_) warn_(warning);
}

std::vector<std::string> DeviceWatch::TakeWarnings() {
  const std::lock_guard lock(mutex_);
  Look();
  const std::size_t told = std::exchange(told_, known_.size());
  return {known_.begin() + static_cast<std::ptrdiff_t>(told), known_.end()};
}

std::string DeviceWatch::Remark() {
  const std::lock_guard lock(mutex_);
  Look();
  std::string remark;
  for (const Watched& watched : watched_) {
    const Rail& rail = *watched.rail;
    const std::string name = rail.device.info().name;
    const std::string port = "port " + std::to_string(rail.port.number) + " of " + name;
    const std::optional<ibv_port_state> state = StateOf(rail);
    if (watched.has_failed || !state) {
      AppendWord(remark, name + " has failed", "; ");
    } else if (*state != IBV_PORT_ACTIVE) {
      const bool is_told = watched.down_since && !watched.up_since;
      AppendWord(remark,
                 port + " is " + std::string(PortStateName(*state)) +
                     (is_told ? ", for " + Ago(*watched.down_since) : ""),
                 "; ");
    } else if (watched.down_since) {
      AppendWord(remark, port + " was down until " + Ago(watched.up_since.value_or(Now())) + " ago",
                 "; ");
    }
  }
  return remark;
}

Error DeviceWatch::Explain(Error error) {
  if (FactsFor(error) == Facts::kNone) return error;
  return std::move(error.AdviseFirst(Remark()));
}

}  // namespace rdmabench
