#include "bench/client.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "bench/agreement.h"
#include "bench/host_json.h"
#include "bench/result.h"
#include "bench/test_run.h"
#include "report/version.h"
#include "transport/hello.h"
#include "transport/json_reader.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kAnswerTimeout{30'000};
// The server's phases end with the client's own, which the stall timeout bounds.
constexpr milliseconds kLongestPhase{kMilliseconds.high};

// A result for each size of each test.
std::size_t CountResults(const Plan& plan) {
  std::size_t count = 0;
  for (const TestPlan& test : plan.tests) count += test.run.message_bytes.size();
  return count;
}

class ClientRun {
 public:
  ClientRun(const Plan& plan, const ClientOptions& options, Session& session,
            report::Report& report, std::string& step)
      : plan_(plan), options_(options), session_(session), report_(report), step_(step) {}

  void Run() {
    Enter();
    const Site site(options_.local, session_.local().ip);
    if (site.placement.session_cpu) session_.PinThread(*site.placement.session_cpu);
    const std::vector<Agreement> agreements = Propose(site);
    report_.hosts[0] = DescribeClient(site, agreements.front());
    for (std::size_t i = 0; i < plan_.tests.size(); ++i) RunTest(site, i, agreements[i]);
    // Described again: the clock's rate is known best at the end.
    report_.hosts[0] = DescribeClient(site, agreements.front());
    step_ = "saying goodbye";
    session_.ExpectClose();
    session_.Send("bye", json::object());
    session_.Receive("bye", In(kAnswerTimeout), "its goodbye");
  }

 private:
  report::Host DescribeClient(const Site& site, const Agreement& agreement) const {
    report::Host host = DescribeSite(site, "client", agreement.client_gid);
    host.address = session_.local().ip;
    return host;
  }

  // Hello, then the queue.
  void Enter() {
    step_ = "saying hello";
    session_.Send("hello", HelloToJson(MakeHello(kVersion, "run")));
    const Deadline patience = In(options_.call.wait);
    std::size_t told = 0;
    for (;;) {
      // A queued client hears of its place every half second, so each frame has the same deadline.
      auto [kind, body] =
          session_.ReceiveAny({"welcome", "queued"}, In(kAnswerTimeout), "its welcome");
      if (kind == "welcome") return;
      step_ = "waiting for its turn";
      JsonReader reader(body, kind);
      const auto place = static_cast<std::size_t>(reader.Number("place", 1, 1'000'000));
      reader.Done();
      if (place != told && options_.observer.queued) options_.observer.queued(place);
      told = place;
      if (Now() > patience) throw Busy(place);
    }
  }

  Error Busy(std::size_t place) const {
    return {Blame::kRun,
            "the server is busy: still at place " + std::to_string(place) + " of its queue after " +
                InSeconds(options_.call.wait),
            "try again later, wait longer with --wait, or start the server with a higher "
            "--max-sessions"};
  }

  std::vector<Agreement> Propose(const Site& site) {
    step_ = "agreeing on the plan";
    json proposal = PlanToJson(plan_);
    proposal["offer"] = OfferToJson(site.offer);
    session_.Send("plan", proposal);
    const json body = session_.Receive("accepted", In(kAnswerTimeout), "its answer to the plan");
    session_.Accepted();
    session_.SetPeerTimeout(milliseconds(plan_.tests.front().run.peer_timeout_ms));
    JsonReader reader(body, "accepted");
    const json& list = reader.Raw("agreements");
    std::vector<Agreement> agreements;
    for (std::size_t i = 0; list.is_array() && i < list.size() && i < plan_.tests.size(); ++i) {
      agreements.push_back(AgreementFromJson(list[i], plan_.tests[i]));
      Verify(agreements.back(), plan_.tests[i], site.offer);
    }
    if (agreements.size() != plan_.tests.size()) {
      throw Error(Blame::kRun, "the server's agreements do not answer the plan");
    }
    report_.hosts = {DescribeClient(site, agreements.front()), HostFromJson(reader.Raw("host"))};
    report_.hosts[1].address = session_.peer().ip;
    reader.Done();
    return agreements;
  }

  void RunTest(const Site& site, std::size_t index, const Agreement& agreement) {
    const TestPlan& test = plan_.tests[index];
    TestRun run({session_, site, test, agreement, Role::kClient, step_, kLongestPhase});
    for (std::size_t size = 0; size < agreement.shapes.size(); ++size) {
      const ResultContext context{index, size, test, agreement, run.endpoint(), site.clock};
      SizeRun measured;
      try {
        run.Measure(size, Watcher(test, agreement.shapes[size], site.clock), measured);
      } catch (const std::exception&) {
        if (measured.messages > 0) report_.results.push_back(MakeResult(context, measured));
        throw;
      }
      report_.results.push_back(MakeResult(context, measured));
    }
  }

  std::function<void(const Sample&, double)> Watcher(const TestPlan& test, const RingShape& shape,
                                                     const TickClock& clock) const {
    if (!options_.observer.progress) return {};
    Progress progress{.result = report_.results.size(),
                      .results = CountResults(plan_),
                      .test = test.test,
                      .message_bytes = shape.message_bytes,
                      .elapsed_seconds = 0.0,
                      .bytes_per_second = 0.0};
    const std::uint64_t start = clock.Now();
    return [this, progress, start, &clock](const Sample& now, double rate) mutable {
      progress.elapsed_seconds = clock.Seconds(start, now.ticks);
      progress.bytes_per_second = rate * static_cast<double>(progress.message_bytes);
      options_.observer.progress(progress);
    };
  }

  const Plan& plan_;
  const ClientOptions& options_;
  Session& session_;
  report::Report& report_;
  std::string& step_;
};

}  // namespace

void RunClient(const Plan& plan, const ClientOptions& options, const Interrupt& interrupt,
               report::Report& report) {
  std::string step = "connecting";
  std::unique_ptr<Session> session;
  try {
    report.plan_json = PlanToJson(plan).dump();
    SessionOptions session_options;
    session_options.interrupt = &interrupt;
    session = std::make_unique<Session>(Dial({.host = options.call.host,
                                              .port = options.call.port,
                                              .timeout = options.call.connect_timeout,
                                              .interrupt = &interrupt,
                                              .source_ip = {}}),
                                        session_options);
    ClientRun(plan, options, *session, report, step).Run();
  } catch (const std::exception& exception) {
    const Error error = AsError(exception).At("client", step);
    if (session) session->Fail(error);
    throw Error(error);
  }
}

}  // namespace rdmabench
