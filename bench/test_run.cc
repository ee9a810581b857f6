#include "bench/test_run.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "bench/arrivals.h"
#include "bench/clock_offset.h"
#include "bench/ending.h"
#include "bench/failure_facts.h"
#include "bench/kept_samples.h"
#include "bench/numbering.h"
#include "bench/open_account.h"
#include "bench/open_loop.h"
#include "bench/patience.h"
#include "bench/run_account.h"
#include "bench/settle.h"
#include "bench/shape.h"
#include "bench/surroundings.h"
#include "report/latency.h"
#include "report/steadiness.h"
#include "transport/catalogue.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::uint64_t kUntilTold = std::uint64_t{1} << 62;
// Far beyond the time between a message's arrival and the return of its credit.
constexpr double kCreditPatienceNs = 50e6;
constexpr double kNsPerMs = 1e6;
constexpr std::uint64_t kFirstSeed = 1;

// Warm-ups are judged by slices of time, of which the shortest has just enough.
milliseconds SliceOf(std::uint64_t warmup_ms) {
  constexpr std::uint64_t kSlices = report::kSteadySlices;
  return milliseconds((warmup_ms + kSlices - 1) / kSlices);
}

// Of each rail, with what its counters have moved since.
std::vector<PathFacts> ReadPaths(const Crew::Setting& setting,
                                 const std::vector<PortCounters>& before) {
  std::vector<PathFacts> paths;
  const std::vector<report::CounterDeltas> moved = MovedSince(setting.site, before);
  for (std::size_t i = 0; i < setting.site.rails.size(); ++i) {
    const Path& path = setting.agreement.paths[i % setting.agreement.paths.size()];
    paths.push_back(ReadPathFacts(setting.site.rails[i], path, setting.role));
    paths.back().moved = moved[i];
  }
  return paths;
}

}  // namespace

report::LatencyBasis BasisOf(const TestPlan& test) {
  return IsOpenLoop(test) || FindTest(test.test).op->reply == Reply::kCompletion
             ? report::LatencyBasis::kRoundTrip
             : report::LatencyBasis::kHalfRoundTrip;
}

TestRun::TestRun(const Crew::Setting& setting)
    : setting_((setting.session.Begin("making the queue pairs"), setting)),
      test_(FindTest(setting.plan.test)),
      crew_(setting),
      counters_(ReadCountersOf(setting.site)),
      arrival_seed_(setting.plan.run.arrival_seed.value_or(kFirstSeed) +
                    (setting.run - 1) * setting.agreement.shapes.size()) {
  Session& session = setting_.session;
  session.Begin("exchanging peer information");
  session.Send("peer", crew_.Local());
  const json peer = session.Receive("peer", In(kStepTimeout), "its queue pairs' addresses");
  session.Begin("connecting the queue pairs");
  crew_.Connect(peer, In(kStepTimeout));
  session.Send("connected", json::object());
  session.Receive("connected", In(kStepTimeout), "its queue pairs to be connected");
}

// A barrier that also checks that both sides mean the same size. The peer may come to it from its
// warm-up.
void TestRun::Meet(std::string_view kind, const RingShape& shape, milliseconds planned) {
  Session& session = setting_.session;
  session.Send(kind, {{"message_bytes", shape.message_bytes}});
  const milliseconds longest = PatienceFor(setting_.plan.run, planned, setting_.longest_phase);
  const json body = session.Receive(kind, In(longest), "its side of '" + std::string(kind) + "'");
  JsonReader reader(body, std::string(kind));
  reader.Number("message_bytes", shape.message_bytes, shape.message_bytes);
  reader.Done();
}

void TestRun::TellRate(std::optional<double> messages_per_second) {
  messages_per_second_ = messages_per_second;
  json body = json::object();
  if (messages_per_second) body["messages_per_second"] = *messages_per_second;
  setting_.session.Send("rate", body);
}

bool TestRun::HearRate() {
  const json body =
      setting_.session.Receive("rate", In(setting_.longest_phase), "the rate to measure next");
  JsonReader reader(body, "rate");
  messages_per_second_.reset();
  if (reader.Has("messages_per_second")) {
    messages_per_second_ =
        reader.Real("messages_per_second", static_cast<double>(kRateMessages.low),
                    static_cast<double>(kRateMessages.high));
  }
  reader.Done();
  return messages_per_second_.has_value();
}

// Both sides learn why while the queue pairs are still there: their end would be another failure of
// the peer's requests.
void TestRun::Measure(std::size_t size, const Watching& watching, SideRun& own, SideRun& peer) {
  try {
    MeasureSize(size, watching, own, peer);
  } catch (const std::exception& exception) {
    const std::string_view side = setting_.role == Role::kClient ? "client" : "server";
    throw Settle(setting_.session, AsError(exception), side,
                 [this](Error error) { return Explain(std::move(error)); });
  }
}

Error TestRun::Explain(Error error) const {
  // Only then: they take many files to read.
  if (FactsFor(error) == Facts::kPath) {
    error = WithFacts(std::move(error), ReadPaths(setting_, counters_), setting_.plan,
                      setting_.agreement);
  }
  return setting_.watch == nullptr ? error : setting_.watch->Explain(std::move(error));
}

void TestRun::MeasureSize(std::size_t size, const Watching& watching, SideRun& own, SideRun& peer) {
  Session& session = setting_.session;
  const RingShape& shape = setting_.agreement.shapes[size];
  session.Begin("getting ready");
  own.memory = crew_.DescribeMemory();
  Meet("ready", shape, milliseconds(0));
  VerifiedSize verified(setting_, crew_, size);
  if (setting_.plan.run.warmup_ms > 0 && crew_.duty().Moves() && !verified.in_laps()) {
    session.Begin("warming up");
    WarmUp(shape, own);
  }
  session.Begin("getting ready");
  // Read when neither side moves anything: both are warm, and neither has begun.
  Meet("warm", shape, milliseconds(setting_.plan.run.LongestWarmupMs()));
  const Surroundings surroundings(setting_.site);
  if (setting_.plan.queue.bidirectional) {
    own.clock_offset = CompareClocks(session, setting_.role, ReadSystemClock, In(kStepTimeout));
  }
  verified.Prepare();
  const TickClock::Moment before = setting_.site.clock.Observe();
  Meet("run", shape, milliseconds(0));
  session.Begin("running");
  const auto send_results = [&] {
    own.clock_drift_ppm = setting_.site.clock.DriftPpm(before);
    verified.Account(peer, own);
    surroundings.Close(own);
    own.whereabouts = crew_.whereabouts();
    if (setting_.watch != nullptr) own.warnings = setting_.watch->TakeWarnings();
    own.complete = true;
    session.Send("results", SideRunToJson(own));
  };
  const bool moves = crew_.duty().Moves();
  if (moves || verified.in_laps()) Loop(shape, watching, verified, own);
  if (moves) {
    session.Begin("exchanging results");
    send_results();
  }
  const milliseconds longest = PatienceForResults(setting_.plan.run, setting_.longest_phase);
  peer = SideRunFromJson(session.Receive("results", In(longest), "its results"),
                         setting_.plan.queue.queue_pairs, setting_.site.rails.size());
  // Of a side that nothing moves on the window is the peer's.
  if (!moves) send_results();
  if (setting_.keep_samples > 0) ExchangeKept(own, peer);
}

// The client is who asked for them.
void TestRun::ExchangeKept(const SideRun& own, SideRun& peer) {
  if (setting_.role == Role::kServer && own.round_trips) {
    SendKept(setting_.session, own.round_trips->kept);
  } else if (setting_.role == Role::kClient && peer.round_trips) {
    peer.round_trips->kept = FetchKept(setting_.session, setting_.keep_samples);
  }
}

Job TestRun::JobFor(const RingShape& shape) {
  const TestPlan& plan = setting_.plan;
  const QpType& type = FindQpType(plan.queue.qp_type);
  const double ns_per_tick = setting_.site.clock.NanosecondsPerTick();
  Job job{.op = test_.op,
          .type = &type,
          .duty = crew_.duty(),
          .shape = shape,
          .receive = setting_.agreement.receive,
          .shares_receive_queue = plan.queue.use_srq,
          .numbering = NumberingOf(plan, shape, setting_.agreement.receive),
          .first_number = FirstNumber(runs_++),
          .most_inline = crew_.most_inline()};
  if (type.loses) {
    job.reply_timeout_ticks = static_cast<std::uint64_t>(
        static_cast<double>(plan.run.reply_timeout_ms) * kNsPerMs / ns_per_tick);
    job.credit_patience_ticks = static_cast<std::uint64_t>(kCreditPatienceNs / ns_per_tick);
  }
  return job;
}

void TestRun::AddSchedule(const RingShape& shape, Job& job) const {
  const TestPlan& plan = setting_.plan;
  job.burst = plan.run.burst.value_or(shape.post_list);
  job.ticks_per_message = TicksPerMessage(shape);
  job.open_loop = IsOpenLoop(plan);
  job.at_random = plan.run.arrival == Poisson::kName;
  job.arrival_seed = arrival_seed_;
  job.queue_pairs = plan.queue.queue_pairs;
}

// A rate is the side's; here it is one queue pair's share.
double TestRun::TicksPerMessage(const RingShape& shape) const {
  const std::optional<double> asked = setting_.plan.run.rate.Of(shape.message_bytes);
  const double per_second = asked.value_or(messages_per_second_.value_or(0.0));
  if (per_second == 0.0) return 0.0;
  constexpr double kNsPerSecond = 1e9;
  return kNsPerSecond / setting_.site.clock.NanosecondsPerTick() * setting_.plan.queue.queue_pairs /
         per_second;
}

// Called on the session thread, while the workers record.
std::function<void(const Sample&, double)> TestRun::Ticker(
    const Watching& watching, const std::vector<report::Histogram>& round_trips) const {
  if (!watching.tick) return {};
  return [this, tick = watching.tick, &round_trips, before = report::Histogram()](
             const Sample& now, double rate) mutable {
    Tick told{.now = now, .messages_per_second = rate};
    if (!round_trips.empty()) {
      report::Histogram all;
      for (const report::Histogram& histogram : round_trips) all.Add(histogram.Snapshot());
      told.latency = report::LatencyOf(all.Since(before), setting_.site.clock.NanosecondsPerTick(),
                                       BasisOf(setting_.plan), setting_.plan.run.percentiles);
      before = std::move(all);
    }
    tick(told);
  };
}

void TestRun::WarmUp(const RingShape& shape, SideRun& own) {
  const TestPlan& plan = setting_.plan;
  Job job = JobFor(shape);
  job.messages = kUntilTold;
  job.at_least = shape.window;
  // The warm-up of an open loop is one, too.
  if (IsOpenLoop(plan)) AddSchedule(shape, job);
  // Round trips of the warm-up are measured by the same code, and thrown away.
  std::vector<report::Histogram> thrown_away(job.duty.pings ? crew_.size() : 0);
  Monitor::Options watch{.duration = std::nullopt,
                         .stall_timeout = milliseconds(plan.run.stall_timeout_ms) +
                                          LongestSilence(job, setting_.site.clock),
                         .progress = {}};
  SteadyRate steady(setting_.site.clock);
  // Who only answers goes on until it has heard how much there was to answer.
  if (job.duty.Initiates()) {
    watch.duration = milliseconds(plan.run.LongestWarmupMs());
    watch.enough = [&steady](std::span<const Sample> taken) { return steady.IsEnough(taken); };
    watch.sample_every = SliceOf(plan.run.warmup_ms);
  }
  std::vector<report::Histogram> these_too(job.open_loop ? thrown_away.size() : 0);
  const std::vector<JobRun> runs =
      crew_.Work(job, {.watch = watch, .round_trips = &thrown_away, .service_times = &these_too});
  if (crew_.duty().Initiates()) {
    const report::Traffic sent = SentBy(runs, shape.message_bytes, setting_.site.clock);
    own.warmup_messages = sent.messages;
    own.warmup_seconds = sent.window_seconds;
    own.warmup_steady = steady.reached();
  }
  ThrowIfAborted();
}

void TestRun::Loop(const RingShape& shape, const Watching& watching, VerifiedSize& verified,
                   SideRun& own) {
  const TestPlan& plan = setting_.plan;
  const RunOptions& options = plan.run;
  const TickClock& clock = setting_.site.clock;
  Job job = JobFor(shape);
  job.messages = options.iterations ? shape.WholeUnits(*options.iterations) : kUntilTold;
  job.at_least = shape.Unit();
  AddSchedule(shape, job);
  job.verifying = verified.verifying();
  std::vector<report::Histogram> round_trips(job.duty.pings ? crew_.size() : 0);
  std::vector<report::Histogram> service_times(job.open_loop ? round_trips.size() : 0);
  std::vector<SampleLog> kept;
  if (job.duty.pings) kept = MakeLogs(setting_.keep_samples, plan.queue, job.messages);
  std::vector<Sample> samples;
  Monitor::Options watch{
      .duration = std::nullopt,
      .stall_timeout = milliseconds(options.stall_timeout_ms) + LongestSilence(job, clock),
      .progress = Ticker(watching, round_trips),
      .progress_every = watching.every,
      .ends_by_interrupt = options.until_interrupted && setting_.role == Role::kClient};
  if (job.duty.Initiates() && options.LongestMs() > 0) {
    watch.duration = milliseconds(options.LongestMs());
  }
  // Of two sides that initiate, one may decide the end of both.
  const bool decides = options.until_ci_percent && job.duty.Initiates() &&
                       (setting_.role == Role::kClient || !EndsWithClient(plan));
  NarrowInterval narrow(clock, options.until_ci_percent.value_or(0.0), shape.signal_every);
  if (decides) {
    watch.enough = [&narrow](std::span<const Sample> taken) { return narrow.IsEnough(taken); };
  }
  const TickClock::Moment before = clock.Observe();
  const std::vector<JobRun> runs = verified.Work(job, {.watch = watch,
                                                       .round_trips = &round_trips,
                                                       .service_times = &service_times,
                                                       .kept = kept.empty() ? nullptr : &kept,
                                                       .samples = &samples});
  if (decides) own.until = {narrow.reached(), narrow.half_width_percent()};
  AccountFor(job, runs, clock, own);
  AccountForRails(runs, setting_.site.rails.size(), own);
  PlaceInTime(runs, samples, clock, before, own);
  own.inline_bytes = crew_.endpoint().inline_bytes();
  own.inline_used = job.duty.Posts() && UsesInline(crew_.endpoint(), job);
  if (job.duty.pings) own.round_trips = RoundTripsOf(runs, round_trips, kept, clock);
  if (job.open_loop && job.duty.pings) own.open_loop = OpenRunOf(runs, service_times, clock);
  if (job.at_random && job.duty.Initiates()) own.arrival_seed = job.arrival_seed;
  ++arrival_seed_;
  ThrowIfAborted();
  if (!job.duty.pings || own.sent->messages > 0) return;
  if (own.round_trips->lost == 0) {
    throw Error(Blame::kRun, "no message was due within the run", "raise --rate or --duration");
  }
  throw SessionError(
      "no_reply", "no reply came to any of " + std::to_string(own.round_trips->lost) + " messages");
}

void TestRun::ThrowIfAborted() const {
  if (!setting_.session.abort_flag()) return;
  throw setting_.session.failure().value_or(Error(Blame::kRun, "the run was aborted"));
}

}  // namespace rdmabench
