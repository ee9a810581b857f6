#include "bench/crew.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

#include "bench/credit.h"
#include "bench/failure_text.h"
#include "bench/thread_meter.h"
#include "transport/catalogue.h"
#include "transport/deadline.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};
// Inline beyond this gains nothing: the request would be larger than the doorbell write of any
// device.
constexpr std::uint32_t kMostInlineWish = 256;
// Where messages get lost: when so long after the last sender has ended nothing has come, nothing
// will.
constexpr milliseconds kQuiet{300};
constexpr milliseconds kLook{20};
// How long a better reason than a flushed request is waited for.
constexpr milliseconds kAfterthought{300};

std::uint32_t InlineWish(const Agreement& agreement) {
  std::uint32_t wish = 0;
  for (const RingShape& shape : agreement.shapes) {
    if (shape.message_bytes <= kMostInlineWish) wish = std::max(wish, shape.message_bytes);
  }
  return wish;
}

QpAttributes AttributesFor(const LinkOptions& link, const Agreement& agreement) {
  QpAttributes attributes;
  attributes.service_level = static_cast<std::uint8_t>(link.service_level);
  attributes.traffic_class = static_cast<std::uint8_t>(link.traffic_class);
  attributes.flow_labels.assign(link.flow_labels.begin(), link.flow_labels.end());
  attributes.hop_limit = static_cast<std::uint8_t>(link.hop_limit);
  attributes.pkey_index = static_cast<std::uint16_t>(link.pkey_index);
  attributes.timeout = static_cast<std::uint8_t>(link.timeout);
  attributes.retry_count = static_cast<std::uint8_t>(link.retry_count);
  attributes.rnr_retry = static_cast<std::uint8_t>(link.rnr_retry);
  attributes.read_depth = static_cast<std::uint8_t>(agreement.read_depth);
  return attributes;
}

// A queue pair for credits beside those of `data`, which takes the same way.
EndpointOptions ControlOptions(const EndpointOptions& data, std::uint32_t queues) {
  EndpointOptions control = data;
  control.type = &FindQpType("rc");
  control.queue_pairs = 1;
  control.send_depth = queues;
  control.recv_depth = 1;
  control.use_srq = control.events = false;
  control.inline_bytes = std::nullopt;
  control.inline_wish = 0;
  control.memory_kind = &FindMemoryKind("host");
  control.mr_per_qp = false;
  control.own_bytes = control.exposed_bytes = CreditBytes(queues);
  control.access = IBV_ACCESS_REMOTE_WRITE;
  control.relaxed_ordering = false;
  return control;
}

}  // namespace

// What the workers of one run share with the thread that waits for them.
struct Crew::Progress {
  explicit Progress(Crew& crew, const Run& run, const Monitor::Counts& completed,
                    const Monitor::Counts& counted)
      : monitor(crew.setting_.session, crew.setting_.site.clock, completed, counted, finish,
                run.watch),
        sent(crew.size()),
        results(crew.size()) {}

  std::atomic<bool> finish{false};
  std::once_flag opened;
  Monitor monitor;
  std::mutex mutex;  // guards the next two
  std::vector<std::uint64_t> sent;
  std::size_t have_sent = 0;
  std::vector<JobRun> results;
  std::vector<std::future<void>> futures;
};

Crew::Crew(const Setting& setting)
    : setting_(setting),
      test_(FindTest(setting.plan.test)),
      type_(FindQpType(setting.plan.queue.qp_type)),
      duty_(DutyOf(test_, setting.plan.queue, setting.role)),
      peer_duty_(DutyOf(test_, setting.plan.queue, PeerOf(setting.role))) {
  for (std::uint32_t i = 0; i < setting.plan.queue.threads; ++i) {
    const Rail& rail = setting_.site.RailOf(i);
    // What the device's library allocates for the queues goes there, too.
    if (const auto node = rail.placement.memory_node) setting_.site.locality.PreferMemoryOf(*node);
    workers_.push_back(
        std::make_unique<Worker>(rail.device, OptionsFor(i), setting_.site.locality));
  }
  if (setting.plan.queue.rdma_cm && setting.role == Role::kServer) {
    listener_.emplace(GidAddress(Role::kServer), OptionsForCm());
  }
}

bool Crew::HearsOfTheEnd(Role role) const {
  const bool ends_with_client = EndsWithClient(setting_.plan) && role == Role::kServer;
  const Duty duty = DutyOf(test_, setting_.plan.queue, role);
  return duty.Listens() || (ends_with_client && duty.Initiates());
}

bool Crew::CountsOnePart() const { return duty_.streams && duty_.sinks; }

std::uint32_t Crew::CreditQueues(std::uint32_t pairs) const {
  return setting_.plan.queue.use_srq ? 1 : pairs;
}

// Among all of the side.
Worker::Options Crew::OptionsFor(std::uint32_t index) const {
  const TestPlan& plan = setting_.plan;
  const Agreement& agreement = setting_.agreement;
  const bool takes = test_.op->TakesReceives() && peer_duty_.Posts();
  const std::uint32_t pairs = QueuePairsOf(plan.queue, index);
  const Rail& rail = setting_.site.RailOf(index);
  const Path& path = agreement.paths[index % agreement.paths.size()];
  EndpointOptions options;
  options.type = &type_;
  options.port = rail.port.number;
  options.gid = setting_.role == Role::kClient ? path.client_gid : path.server_gid;
  options.mtu_bytes = path.mtu_bytes;
  options.queue_pairs = pairs;
  options.send_depth = duty_.Posts() ? agreement.Depth() : 1;
  options.recv_depth = takes ? agreement.receive.depth : 1;
  options.use_srq = plan.queue.use_srq && takes;
  options.events = plan.queue.events && duty_.Moves();
  options.completion_vector = plan.queue.completion_vector;
  const bool inlines = duty_.Posts() && test_.op->inline_ok && memory_kind().inline_ok;
  options.inline_bytes = inlines ? plan.queue.inline_bytes : std::nullopt;
  options.inline_wish = inlines ? InlineWish(agreement) : 0;
  options.attributes = AttributesFor(plan.link, agreement);
  // Labels are dealt over all queue pairs, and each worker's begin where the one before ended.
  std::vector<std::uint32_t>& labels = options.attributes.flow_labels;
  std::rotate(labels.begin(), labels.begin() + FirstQueuePairOf(plan.queue, index) % labels.size(),
              labels.end());
  ChooseMemory(index, options);
  options.numa_node = rail.placement.memory_node;
  options.access = peer_duty_.Posts() ? test_.op->peer_access : 0;
  options.relaxed_ordering = relaxed_ordering();

  Worker::Options worker{
      .endpoint = options, .control = {}, .receive = {}, .cpu = setting_.site.CpuOf(index)};
  if (takes) worker.receive = agreement.receive;
  if (test_.op->TakesReceives() && (duty_.sinks || peer_duty_.sinks)) {
    worker.control = ControlOptions(options, CreditQueues(pairs));
  }
  return worker;
}

std::uint32_t Crew::completion_queues() const {
  std::size_t count = 0;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    count += worker->endpoint().send_cqs().size();
  }
  return static_cast<std::uint32_t>(count);
}

// Memory that is polled has to be written in order; order on PCIe is none of the device's own.
bool Crew::relaxed_ordering() const {
  const bool polls_memory = test_.metric == Metric::kLatency && test_.op->reply == Reply::kMemory;
  return setting_.plan.memory.relaxed_ordering.value_or(!polls_memory && memory_kind().over_pcie);
}

std::vector<JobRun> Crew::Work(const Job& job, const Run& run) {
  Monitor::Counts completed;
  Monitor::Counts counted;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    worker->progress().store(0, std::memory_order_relaxed);
    worker->counted().store(0, std::memory_order_relaxed);
    worker->expected().store(kNotKnown, std::memory_order_relaxed);
    if (peer_duty_.sinks) {
      Credits::Restart(*worker->control(), CreditQueues(QueuePairsIn(worker->endpoint())));
    }
    completed.push_back(&worker->progress());
    if (CountsOnePart()) counted.push_back(&worker->counted());
  }
  Progress progress(*this, run, completed, counted.empty() ? completed : counted);
  ran_on_.assign(workers_.size(), -1);
  for (std::uint32_t i = 0; i < workers_.size(); ++i) Start(i, job, run, progress);
  try {
    if (HearsOfTheEnd(setting_.role)) AwaitPeer();
    if (EndsWithClient(setting_.plan) && setting_.role == Role::kServer) {
      progress.finish.store(true, std::memory_order_relaxed);
    }
  } catch (const std::exception& exception) {
    // The flag that this raises ends the workers, whose results count all the same.
    setting_.session.Abort(AsError(exception));
  }
  AwaitWorkers(progress, job);
  std::vector<Sample> samples = progress.monitor.Stop();
  for (JobRun& result : progress.results) {
    // A run that broke off ended when something last completed, not when that was noticed.
    LoopResult& loop = result.loop;
    if (loop.outcome != Outcome::kDone && progress.monitor.moved_ticks() > loop.start_ticks) {
      if (result.sent.end_ticks == loop.end_ticks) {
        result.sent.end_ticks = progress.monitor.moved_ticks();
      }
      loop.end_ticks = progress.monitor.moved_ticks();
    }
  }
  if (run.samples != nullptr) *run.samples = std::move(samples);
  if (setting_.session.abort_flag()) {
    SeekOwnReason();
  } else {
    Renew();
  }
  return std::move(progress.results);
}

void Crew::Start(std::uint32_t index, const Job& job, const Run& run, Progress& progress) {
  Worker& worker = *workers_[index];
  Session& session = setting_.session;
  const std::uint32_t first_of_side =
      setting_.role == Role::kClient ? 0 : setting_.plan.queue.queue_pairs;
  const std::uint32_t first_lane = first_of_side + FirstQueuePairOf(setting_.plan.queue, index);
  const auto sent = [this, index, &progress](std::uint64_t messages) {
    const std::lock_guard lock(progress.mutex);
    progress.sent[index] = messages;
    if (++progress.have_sent < workers_.size() || !HearsOfTheEnd(PeerOf(setting_.role))) return;
    setting_.session.Send("sent", {{"messages", progress.sent}});
  };
  progress.futures.push_back(worker.Start(Worker::Task([=, this, &worker, &session, &progress] {
    try {
      ThreadMeter meter;
      const Bench bench{
          .endpoint = worker.endpoint(),
          .control = worker.control(),
          .rings = worker.rings(),
          .clock = setting_.site.clock,
          .stop = {session.abort_flag(), progress.finish},
          .progress = worker.progress(),
          .expected = worker.expected(),
          .counted = CountsOnePart() ? &worker.counted() : nullptr,
          .round_trips = duty_.pings ? &(*run.round_trips)[index] : nullptr,
          .service_times = duty_.pings && job.open_loop ? &(*run.service_times)[index] : nullptr,
          .kept = duty_.pings && run.kept != nullptr ? &(*run.kept)[index] : nullptr,
          .first_lane = first_lane,
          .first_queue_pair = FirstQueuePairOf(setting_.plan.queue, index),
          .opening =
              [&] {
                std::call_once(progress.opened, [&] { progress.monitor.Start(); });
                meter.Start();
              },
          .sent = sent};
      progress.results[index] = RunJob(bench, job);
      progress.results[index].cost = meter.Stop();
      ran_on_[index] = sched_getcpu();
      const LoopResult& loop = progress.results[index].loop;
      if (loop.outcome == Outcome::kFailed) Report(loop.failure, worker);
    } catch (const std::exception& exception) {
      session.Abort(AsError(exception));
    }
  })));
}

// Of flushed requests alone nothing is known but that something else went wrong: another worker's
// request, an event of the device or the peer may say what, at nearly the same time.
void Crew::Report(const Failure& failure, Worker& worker) {
  Session& session = setting_.session;
  const Error error = DescribeFailure(RootCause(failure, worker.endpoint(), worker.control()));
  const Deadline until = IsConsequence(error) ? In(kAfterthought) : Now();
  while (Now() < until) {
    if (session.abort_flag()) return;
    std::this_thread::sleep_for(kLook);
  }
  session.Abort(error);
}

// The peer has failed and told why; what went wrong here meanwhile may still lie in a queue.
void Crew::SeekOwnReason() {
  for (const std::unique_ptr<Worker>& worker : workers_) {
    const auto cause = FindCause(worker->endpoint(), worker->control());
    if (cause) return setting_.session.Abort(DescribeFailure(*cause));
  }
}

// The peer says how much it has sent; only then it is known when all has come.
void Crew::AwaitPeer() {
  const json body =
      setting_.session.Receive("sent", In(setting_.longest_phase), "how many messages it has sent");
  JsonReader reader(body, "sent");
  const std::vector<std::uint64_t> counts =
      reader.Numbers("messages", 0, kNotKnown - 1, workers_.size());
  reader.Done();
  if (counts.size() != workers_.size()) {
    throw Error(Blame::kRun, "the peer's counts are not one a worker");
  }
  Expect(counts);
}

void Crew::Expect(const std::vector<std::uint64_t>& messages) {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i]->expected().store(messages[i], std::memory_order_relaxed);
  }
}

void Crew::AwaitWorkers(Progress& progress, const Job& job) {
  const auto completed = [this] {
    std::uint64_t sum = 0;
    for (const auto& worker : workers_) sum += worker->progress().load(std::memory_order_relaxed);
    return sum;
  };
  const auto own_are_done = [&] {
    const std::lock_guard lock(progress.mutex);
    return !duty_.Initiates() || progress.have_sent == workers_.size();
  };
  // Only what the peer sends may get lost on the way here.
  const bool may_lose = job.type->loses && duty_.Listens();
  std::uint64_t seen = completed();
  Deadline quiet_at = In(kQuiet);
  for (std::future<void>& future : progress.futures) {
    while (may_lose && future.wait_for(kLook) != std::future_status::ready) {
      if (const std::uint64_t now = completed(); now != seen || !own_are_done()) {
        seen = now;
        quiet_at = In(kQuiet);
      } else if (Now() > quiet_at) {
        Expect(std::vector<std::uint64_t>(workers_.size(), 0));
      }
    }
    future.get();
  }
}

// Receive queues are full again when the next run begins.
void Crew::Renew() {
  for (const std::unique_ptr<Worker>& worker : workers_) {
    for (ReceiveRing& ring : worker->rings()) {
      Check(ring.TopUp(), "cannot post receive requests again");
    }
  }
}

}  // namespace rdmabench
