#include "bench/client.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "bench/agreement.h"
#include "bench/bounds.h"
#include "bench/checks.h"
#include "bench/clock_drift.h"
#include "bench/device_watch.h"
#include "bench/doctor_session.h"
#include "bench/entrance.h"
#include "bench/explain.h"
#include "bench/host_json.h"
#include "bench/path_remark.h"
#include "bench/placement_warnings.h"
#include "bench/proposal.h"
#include "bench/rails.h"
#include "bench/rate_search.h"
#include "bench/result.h"
#include "bench/settle.h"
#include "bench/test_run.h"
#include "bench/whereabouts.h"
#include "report/latency.h"
#include "transport/hello.h"
#include "transport/json_reader.h"
#include "transport/peer_error.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kAnswerTimeout{30'000};
// The server's phases end with the client's own, which the stall timeout bounds.
constexpr milliseconds kLongestPhase{kMilliseconds.high};

// What the server says to one test.
struct Answer {
  std::optional<Agreement> agreement;
  std::optional<Error> refusal;
};

// Of a test that fails while the others go on.
void NoteFailure(const Plan& plan, std::size_t index, const Error& error, const Observer& observer,
                 report::Report& report) {
  report.failures.push_back({index, plan.tests[index].test, Describe(error)});
  if (observer.failed) observer.failed(report.failures.back());
}

// One session, in which the tests of the plan from `first` on are run.
class ClientRun {
 public:
  ClientRun(const Plan& plan, std::size_t first, const ClientOptions& options, Session& session,
            report::Report& report)
      : plan_(plan), first_(first), options_(options), session_(session), report_(report) {}

  // The test under way.
  std::optional<std::size_t> current() const { return current_; }

  void Run() {
    Enter(session_, kRunRequest, options_.call, options_.observer);
    session_.Begin("opening the device");
    const Site site(options_.local, OpenRails(options_.local, session_.local().ip),
                    plan_.MostThreads());
    if (site.session_cpu) session_.PinThread(*site.session_cpu);
    DeviceWatch watch(site, session_, "client", options_.observer.warn);
    watch_ = &watch;
    try {
      RunPlan(site);
    } catch (const std::exception& exception) {
      const Error error = Settle(session_, AsError(exception), "client",
                                 [&watch](Error own) { return watch.Explain(std::move(own)); });
      Record(watch.TakeWarnings());
      throw Error(error);
    }
    Record(watch.TakeWarnings());
  }

 private:
  void RunPlan(const Site& site) {
    for (const TestPlan& test : plan_.tests) CheckRails(test, site.rails.size());
    const std::vector<Answer> answers = Propose(site);
    if (options_.observer.explain) options_.observer.explain(Explain(site, report_.hosts[1]));
    Warn(PlacementWarnings(report_.hosts));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i].agreement) continue;
      Warn(PathWarnings(*answers[i].agreement, report_.hosts));
      results_ += answers[i].agreement->shapes.size() * plan_.tests[first_ + i].run.runs;
    }
    for (std::size_t i = 0; i < answers.size(); ++i) {
      current_ = first_ + i;
      if (answers[i].agreement) {
        for (std::uint32_t run = 1; run <= plan_.tests[*current_].run.runs; ++run) {
          RunTest(site, *current_, *answers[i].agreement, run);
        }
      } else {
        NoteFailure(plan_, *current_, *answers[i].refusal, options_.observer, report_);
      }
    }
    current_.reset();
    // The clock's rate is known best at the end.
    report_.hosts[0].clock->ns_per_tick = site.clock.NanosecondsPerTick();
    session_.Begin("saying goodbye");
    session_.ExpectClose();
    session_.Send("bye", json::object());
    session_.Receive("bye", In(kAnswerTimeout), "its goodbye");
  }

  report::Host DescribeClient(const Site& site, const std::vector<Answer>& answers) const {
    RailGids gids(site.rails.size());
    for (const Answer& answer : answers) {
      if (answer.agreement) TakeGids(*answer.agreement, &Path::client_gid, gids);
    }
    report::Host host = DescribeSite(site, "client", gids);
    host.address = session_.local().ip;
    return host;
  }

  std::vector<Answer> Propose(const Site& site) {
    session_.Begin("agreeing on the plan");
    const std::span<const TestPlan> tests = std::span(plan_.tests).subspan(first_);
    session_.Send(
        "plan",
        ProposalToJson({.plan = {.tests = {tests.begin(), tests.end()}, .remote = plan_.remote},
                        .offers = site.Offers(),
                        .keep_samples = KeepSamples()}));
    const json body = session_.Receive("accepted", In(kAnswerTimeout), "its answer to the plan");
    session_.Accepted();
    session_.SetPeerTimeout(milliseconds(tests.front().run.peer_timeout_ms));
    JsonReader reader(body, "accepted");
    std::vector<Answer> answers;
    for (JsonReader& fields : reader.Objects("tests", tests.size())) {
      Answer& answer = answers.emplace_back();
      const TestPlan& test = tests[answers.size() - 1];
      if (fields.Has("refused")) {
        answer.refusal = ErrorFromPeer(fields.Raw("refused"));
      } else {
        answer.agreement = AgreementFromJson(fields.Raw("agreement"), test);
        Verify(*answer.agreement, test, site.Offers());
      }
      fields.Done();
    }
    if (answers.size() != tests.size()) {
      throw Error(Blame::kRun, "the server's agreements do not answer the plan");
    }
    std::vector<report::Host> hosts = {DescribeClient(site, answers),
                                       HostFromJson(reader.Raw("host"))};
    // The session before was between the same two.
    for (std::size_t i = 0; i < report_.hosts.size(); ++i) CarryOver(report_.hosts[i], hosts[i]);
    report_.hosts = std::move(hosts);
    report_.hosts[1].address = session_.peer().ip;
    Warn(EssentialWarnings(site, "client"));
    Warn(reader.Texts("warnings", kMostWarnings, kLongestWarning));
    reader.Done();
    return answers;
  }

  // All sizes once, on queue pairs of their own.
  void RunTest(const Site& site, std::size_t index, const Agreement& agreement,
               std::uint32_t number) {
    const TestPlan test = OverRails(plan_.tests[index], site.rails.size());
    TestRun run({session_, site, test, agreement, Role::kClient, kLongestPhase, KeepSamples(),
                 number, watch_});
    for (std::size_t size = 0; size < agreement.shapes.size(); ++size) {
      const ResultContext context{index, size, test, agreement, run.crew(), number, report_.hosts};
      if (test.run.HasSearch()) {
        SearchRates(context, site, run);
      } else {
        Measure(context, site, run);
      }
      done_ += 1;
    }
  }

  // A result for each rate, and the answer where one is looked for.
  void SearchRates(const ResultContext& context, const Site& site, TestRun& run) {
    const TestPlan& test = context.plan;
    RateSearch search(test.run, test.queue.queue_pairs);
    std::optional<std::size_t> highest_held;
    std::optional<double> rate = search.Next();
    for (; rate; rate = search.Next()) {
      run.TellRate(rate);
      search.Take(Measure(context, site, run));
      if (search.highest_held() == rate) highest_held = report_.results.size() - 1;
    }
    run.TellRate(rate);
    if (!test.run.slo_percentile) return;
    report_.slo.push_back(
        {.plan_index = context.plan_index,
         .test = test.test,
         .message_bytes = context.agreement.shapes[context.size_index].message_bytes,
         .percentile = *test.run.slo_percentile,
         .most_ns = static_cast<double>(*test.run.slo_ns),
         .probes = search.probes(),
         .highest_held_messages_per_second = search.highest_held(),
         .highest_held_result = highest_held,
         .lowest_failed_messages_per_second = search.lowest_failed()});
  }

  // The account of the side that has initiated.
  SideRun Measure(const ResultContext& context, const Site& site, TestRun& run) {
    const TestPlan& test = context.plan;
    const RingShape& shape = context.agreement.shapes[context.size_index];
    SideRun own;
    SideRun peer;
    try {
      run.Measure(context.size_index, Watcher(test, shape, site.clock), own, peer);
    } catch (const std::exception&) {
      if (own.sent || own.received) {
        own.complete = false;
        report_.results.push_back(MakeResult(context, own, nullptr));
        HandOn(own, test);
      }
      throw;
    }
    Record(own.warnings);
    Warn(peer.warnings);
    Note(own.whereabouts, report_.hosts[0]);
    Note(peer.whereabouts, report_.hosts[1]);
    Warn(PlacementWarnings(report_.hosts));
    NoteDrift(own.clock_drift_ppm, report_.hosts[0]);
    NoteDrift(peer.clock_drift_ppm, report_.hosts[1]);
    report::Result result = MakeResult(context, own, &peer);
    if (result.bandwidth) result.bounds = BoundsOf(result, report_.hosts, report_.results);
    result.checks = ChecksOf({.result = result,
                              .hosts = report_.hosts,
                              .clock_drift_ppm = {own.clock_drift_ppm, peer.clock_drift_ppm}});
    report_.results.push_back(std::move(result));
    SideRun& initiator = test.queue.reversed ? peer : own;
    HandOn(initiator, test);
    if (options_.observer.so_far) {
      session_.Begin("writing what was measured so far");
      options_.observer.so_far(report_);
    }
    return std::move(initiator);
  }

  // Of what the devices told, which was on stderr at once.
  void Record(const std::vector<std::string>& warnings) {
    std::vector<std::string>& known = report_.warnings;
    for (const std::string& warning : warnings) {
      if (std::find(known.begin(), known.end(), warning) == known.end()) known.push_back(warning);
    }
  }

  // Of each once, although the next run, or another session, finds it again.
  void Warn(const std::vector<std::string>& warnings) {
    std::vector<std::string>& known = report_.warnings;
    for (const std::string& warning : warnings) {
      if (std::find(known.begin(), known.end(), warning) != known.end()) continue;
      known.push_back(warning);
      if (options_.observer.warn) options_.observer.warn(warning);
    }
  }

  std::uint64_t KeepSamples() const {
    return options_.observer.samples ? options_.observer.most_samples : 0;
  }

  // The single samples of the last result, from the side that measured them.
  void HandOn(SideRun& measured, const TestPlan& test) {
    report::Result& result = report_.results.back();
    if (!options_.observer.samples || !result.latency) return;
    RoundTrips& trips = *measured.round_trips;
    const double scale = report::NsPerTick(BasisOf(test), trips.ns_per_tick);
    for (std::uint64_t& sample : trips.kept) {
      sample = static_cast<std::uint64_t>(std::llround(static_cast<double>(sample) * scale));
    }
    const std::uint64_t kept = trips.kept.size();
    const std::uint64_t measured_samples = result.latency->samples;
    result.latency->kept_samples = kept;
    if (kept < measured_samples) {
      Warn({result.test + " at " + std::to_string(result.message_bytes) +
            " B: --samples has the first " + std::to_string(kept) + " of " +
            std::to_string(measured_samples) + " samples, in equal parts of each thread"});
    }
    options_.observer.samples({.result = report_.results.size() - 1,
                               .message_bytes = result.message_bytes,
                               .measured = measured_samples,
                               .ns = std::move(trips.kept)});
  }

  TestRun::Watching Watcher(const TestPlan& test, const RingShape& shape,
                            const TickClock& clock) const {
    const Observer& observer = options_.observer;
    if (!observer.progress) return {};
    Progress progress{.result = done_,
                      .results = results_,
                      .test = test.test,
                      .message_bytes = shape.message_bytes};
    const double every = std::chrono::duration<double>(observer.progress_every).count();
    // The first tick comes one interval after the window has opened.
    const auto tick = [&observer, progress, every, first = std::uint64_t{0},
                       &clock](const Tick& told) mutable {
      if (first == 0) first = told.now.ticks;
      progress.elapsed_seconds = every + clock.Seconds(first, told.now.ticks);
      progress.messages_per_second = told.messages_per_second;
      progress.bytes_per_second =
          told.messages_per_second * static_cast<double>(progress.message_bytes);
      progress.latency = told.latency;
      observer.progress(progress);
    };
    return {.tick = tick, .every = observer.progress_every};
  }

  const Plan& plan_;
  const std::size_t first_;
  const ClientOptions& options_;
  Session& session_;
  report::Report& report_;
  DeviceWatch* watch_ = nullptr;  // while the plan is run
  std::optional<std::size_t> current_;
  std::size_t done_ = 0;     // sizes of tests that are measured
  std::size_t results_ = 0;  // of all runs of all tests
};

// Runs the tests from `first` on; the first one that is left. A test that fails takes its session
// with it, and the others go on in another.
std::size_t RunSession(const Plan& plan, std::size_t first, const ClientOptions& options,
                       const Interrupt& interrupt, report::Report& report) {
  std::unique_ptr<Session> session;
  std::optional<ClientRun> run;
  try {
    session = OpenSession(options.call, interrupt);
    run.emplace(plan, first, options, *session, report);
    run->Run();
    return plan.tests.size();
  } catch (const std::exception& exception) {
    Error error = AsError(exception);
    error = session ? Settle(*session, error, "client") : error.At("client", "connecting");
    const bool is_of_a_test = run && run->current() && plan.tests.size() > 1;
    if (!is_of_a_test || error.blame() == Blame::kInterrupted) throw Error(error);
    NoteFailure(plan, *run->current(), error, options.observer, report);
    return *run->current() + 1;
  }
}

}  // namespace

report::Failure Describe(const Error& error) {
  report::Failure failure{.host = error.host(),
                          .step = error.step(),
                          .code = error.entry(),
                          .message = error.what(),
                          .remedy = error.remedy()};
  if (const Error* peer = error.peer(); peer != nullptr) {
    failure.peer = report::Reason{.host = peer->host(),
                                  .step = peer->step(),
                                  .code = peer->entry(),
                                  .message = peer->what(),
                                  .remedy = peer->remedy()};
  }
  return failure;
}

void RunClient(const Plan& plan, const ClientOptions& options, const Interrupt& interrupt,
               report::Report& report) {
  report.plan_json = PlanToJson(plan).dump();
  std::size_t next = 0;
  while (next < plan.tests.size()) {
    next = RunSession(plan, next, options, interrupt, report);
    const bool has_failed = !report.failures.empty() && next < plan.tests.size();
    if (has_failed && options.observer.so_far) options.observer.so_far(report);
  }
  if (report.failures.empty()) return;
  throw Error(Blame::kRun,
              std::to_string(report.failures.size()) + " of " + std::to_string(plan.tests.size()) +
                  " tests failed",
              "the lines above and the report's failures say why");
}

}  // namespace rdmabench
