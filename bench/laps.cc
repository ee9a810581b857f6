#include "bench/laps.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

#include "bench/duty.h"
#include "bench/thread_meter.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// Where nobody acknowledges: when so long nothing has arrived, nothing will.
constexpr milliseconds kQuiet{300};
constexpr milliseconds kLook{5};

std::uint64_t Sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void AddTo(std::vector<std::uint64_t>& sums, const std::vector<std::uint64_t>& counts) {
  sums.resize(std::max(sums.size(), counts.size()));
  for (std::size_t i = 0; i < counts.size(); ++i) sums[i] += counts[i];
}

// From the first that began to the last that ended.
template <class Part>
void AddPart(Part& all, const Part& lap) {
  all.messages += lap.messages;
  AddTo(all.per_queue_pair, lap.per_queue_pair);
  if (all.start_ticks == 0) all.start_ticks = lap.start_ticks;
  all.end_ticks = std::max(all.end_ticks, lap.end_ticks);
  if (lap.opcode) all.opcode = lap.opcode;
}

// Interrupts of the user set the flag, and no more, while it is there.
class Diverted {
 public:
  Diverted(Session& session, std::atomic<bool>* flag) : session_(session) {
    session_.DivertInterrupt(flag);
  }
  ~Diverted() { session_.DivertInterrupt(nullptr); }
  Diverted(const Diverted&) = delete;
  Diverted& operator=(const Diverted&) = delete;

 private:
  Session& session_;
};

}  // namespace

Laps::Laps(const Crew::Setting& setting, Crew& crew, const Job& job)
    : setting_(setting),
      session_(setting.session),
      crew_(crew),
      job_(job),
      verifying_(*job.verifying),
      peer_duty_(DutyOf(FindTest(setting.plan.test), setting.plan.queue, PeerOf(setting.role))),
      pulls_(job.op->IsBoundByReadDepth()),
      all_(setting.plan.queue.queue_pairs, job.shape.Slots()),
      own_first_(all_.size()),
      peer_first_(all_.size()),
      told_at_(Now()),
      runs_(crew.size()) {
  const RunOptions& run = setting.plan.run;
  if (run.LongestMs() > 0) end_ = In(milliseconds(run.LongestMs()));
}

void Laps::Run(const Crew::Run& run) {
  const bool ends_by_user = setting_.plan.run.until_interrupted && setting_.role == Role::kClient;
  const Diverted diverted(session_, ends_by_user ? &interrupted_ : nullptr);
  try {
    Go(run);
  } catch (const std::exception& exception) {
    session_.Abort(AsError(exception));
  }
}

void Laps::Go(const Crew::Run& run) {
  for (std::uint64_t left = job_.messages;;) {
    Prepare();
    const bool is_over =
        left == 0 || (end_ && Now() >= *end_) || interrupted_.load(std::memory_order_relaxed);
    if (!GoesOn(!is_over)) return;
    const std::uint64_t messages = std::min<std::uint64_t>(left, job_.shape.Length());
    const std::vector<JobRun> lap = Move(run, messages);
    if (session_.abort_flag()) return;
    Counts own;
    std::uint64_t told = 0;
    for (const JobRun& worker : lap) {
      own.insert(own.end(), worker.sent.per_queue_pair.begin(), worker.sent.per_queue_pair.end());
      told += worker.received.messages -
              worker.received.arrivals.value_or(report::Arrivals{}).duplicated;
    }
    const Counts peer = Exchange(own);
    Check(own, peer, told);
    AddTo(own_first_, own);
    AddTo(peer_first_, peer);
    Tell(run, Sum(own) + Sum(peer));
    left -= messages;
  }
}

// Both sides are prepared, and the client says whether there is another lap.
bool Laps::GoesOn(bool wanted) {
  session_.Send("lap", {{"goes_on", wanted}});
  const json body =
      session_.Receive("lap", In(setting_.longest_phase), "it to have looked at the messages");
  JsonReader reader(body, "lap");
  const bool peer_wants = reader.Flag("goes_on");
  reader.Done();
  return setting_.role == Role::kClient ? wanted : peer_wants;
}

void Laps::Prepare() {
  const auto fill = [this](Role initiator, Base base, const Counts& first) {
    EachSlot(base, first, all_,
             [&](std::uint32_t pair, std::uint64_t message, std::span<std::byte> slot) {
               PatternOf(initiator, pair).Fill(message, slot);
             });
  };
  const auto poison = [this](Base base) {
    EachSlot(base, own_first_, all_,
             [](std::uint32_t, std::uint64_t, std::span<std::byte> slot) { Poison(slot); });
  };
  if (job_.duty.Initiates()) {
    pulls_ ? poison(&Endpoint::own_data) : fill(setting_.role, &Endpoint::own_data, own_first_);
  }
  if (peer_duty_.Initiates()) {
    pulls_ ? fill(PeerOf(setting_.role), &Endpoint::exposed_data, peer_first_)
           : poison(&Endpoint::exposed_data);
  }
}

std::vector<JobRun> Laps::Move(const Crew::Run& run, std::uint64_t messages) {
  if (!job_.duty.Moves()) return {};
  Job lap = job_;
  lap.messages = messages;
  verifying_.first_messages = own_first_;
  lap.verifying = verifying_;
  Monitor::Options watch{
      .duration = std::nullopt, .stall_timeout = run.watch.stall_timeout, .progress = {}};
  if (job_.duty.Initiates() && end_) {
    watch.duration =
        std::max(std::chrono::duration_cast<milliseconds>(*end_ - Now()), milliseconds(1));
  }
  std::vector<JobRun> done = crew_.Work(lap, {.watch = watch});
  for (std::size_t i = 0; i < done.size(); ++i) {
    AddPart(runs_[i].sent, done[i].sent);
    AddPart(runs_[i].received, done[i].received);
    runs_[i].received.bytes += done[i].received.bytes;
    if (runs_[i].cost.counts.events.empty()) {
      runs_[i].cost = done[i].cost;
    } else {
      runs_[i].cost += done[i].cost;
    }
    if (const auto& arrivals = done[i].received.arrivals) {
      runs_[i].received.arrivals = runs_[i].received.arrivals.value_or(report::Arrivals{});
      *runs_[i].received.arrivals += *arrivals;
    }
  }
  return done;
}

// How much each side has sent over each of its queue pairs in this lap.
Laps::Counts Laps::Exchange(const Counts& own) {
  session_.Send("lapped", {{"messages", own}});
  const json body = session_.Receive("lapped", In(setting_.longest_phase), "its lap to end");
  JsonReader reader(body, "lapped");
  Counts peer = reader.Numbers("messages", 0, job_.shape.Slots(), all_.size());
  reader.Done();
  if (peer.size() == (peer_duty_.Initiates() ? all_.size() : 0)) return peer;
  throw Error(Blame::kRun, "the peer's counts are not one a queue pair");
}

void Laps::Check(const Counts& own, const Counts& peer, std::uint64_t told) {
  if (peer_duty_.Initiates() && !pulls_) CheckArrived(peer, told);
  if (job_.duty.Initiates() && pulls_) CheckAnswers(&Endpoint::own_data, own_first_, own, false);
  if (peer_duty_.Initiates() && job_.op->IsAtomic()) {
    CheckAnswers(&Endpoint::exposed_data, peer_first_, peer, true);
  }
}

// `told`: of so many it was told that they are there, where the op tells.
void Laps::CheckArrived(const Counts& sent, std::uint64_t told) {
  const Role initiator = PeerOf(setting_.role);
  if (job_.type->loses) AwaitArrivals(sent);
  std::uint64_t there = 0;
  std::optional<MessageId> missing;
  EachSlot(&Endpoint::exposed_data, peer_first_, sent,
           [&](std::uint32_t pair, std::uint64_t message, std::span<const std::byte> slot) {
             const MessageId id{.queue_pair = pair, .message = message, .content = message};
             const Pattern pattern = PatternOf(initiator, pair);
             if (!job_.type->loses) {
               audit_.Check(pattern, id, slot);
             } else if (audit_.CheckWithGaps(pattern, id, slot)) {
               ++there;
             } else if (!missing) {
               missing = id;
             }
           });
  if (missing && job_.op->TakesReceives() && there < told) audit_.Missing(*missing, told - there);
}

// Those of an operation that brings something back; `after`: what it leaves at its target.
void Laps::CheckAnswers(Base base, const Counts& first, const Counts& counts, bool after) {
  const Role initiator = after ? PeerOf(setting_.role) : setting_.role;
  EachSlot(base, first, counts,
           [&](std::uint32_t pair, std::uint64_t message, std::span<const std::byte> slot) {
             const MessageId id{.queue_pair = pair, .message = message, .content = message};
             const Pattern pattern = PatternOf(initiator, pair);
             if (!job_.op->IsAtomic()) {
               audit_.Check(pattern, id, slot);
               return;
             }
             const std::uint64_t change =
                 after ? Changes(*job_.op, message + 1) - Changes(*job_.op, message) : 0;
             audit_.CheckWord(id, pattern.Word(message, 0) + change, LoadWord(slot.data()));
           });
}

void Laps::AwaitArrivals(const Counts& sent) {
  std::uint64_t seen = 0;
  Deadline quiet_at = In(kQuiet);
  for (;;) {
    std::uint64_t there = 0;
    EachSlot(&Endpoint::exposed_data, peer_first_, sent,
             [&](std::uint32_t pair, std::uint64_t message, std::span<const std::byte> slot) {
               const Pattern pattern = PatternOf(PeerOf(setting_.role), pair);
               if (pattern.Mismatch(message, slot) == slot.size()) ++there;
             });
    if (there != seen) quiet_at = In(kQuiet);
    seen = there;
    if (there == Sum(sent) || Now() > quiet_at) return;
    std::this_thread::sleep_for(kLook);
  }
}

// Laps are too short for a watch to tell of them.
void Laps::Tell(const Crew::Run& run, std::uint64_t messages) {
  messages_ += messages;
  const Deadline now = Now();
  if (!run.watch.progress || now - told_at_ < run.watch.progress_every) return;
  const double seconds = std::chrono::duration<double>(now - told_at_).count();
  run.watch.progress({setting_.site.clock.Now(), messages_, messages_},
                     static_cast<double>(messages_ - told_messages_) / seconds);
  told_at_ = now;
  told_messages_ = messages_;
}

Pattern Laps::PatternOf(Role initiator, std::uint32_t queue_pair) const {
  return verifying_.PatternOf(initiator, queue_pair);
}

template <class Visit>
void Laps::EachSlot(Base base, const Counts& first, const Counts& counts,
                    const Visit& visit) const {
  std::uint32_t pair = 0;
  for (std::size_t worker = 0; worker < crew_.size(); ++worker) {
    const Endpoint& endpoint = crew_.endpoint(worker);
    const std::uint32_t pairs = QueuePairsIn(endpoint);
    const SlotLayout layout = LayoutFor(job_.shape, pairs);
    for (std::uint32_t lane = 0; lane < pairs; ++lane, ++pair) {
      const std::uint64_t first_slot = std::uint64_t{lane} * job_.shape.Slots();
      for (std::uint64_t i = 0; i < counts[pair]; ++i) {
        visit(pair, first[pair] + i,
              std::span((endpoint.*base)() + layout.Offset(first_slot + i),
                        job_.shape.message_bytes));
      }
    }
  }
}

}  // namespace rdmabench
