#include "bench/serve.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/deciding.h"
#include "bench/device_watch.h"
#include "bench/doctor_session.h"
#include "bench/host_json.h"
#include "bench/placement_choice.h"
#include "bench/proposal.h"
#include "bench/rails.h"
#include "bench/session_events.h"
#include "bench/settle.h"
#include "bench/test_run.h"
#include "report/version.h"
#include "transport/peer_error.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kByeTimeout{30'000};
// Beyond the duration that the server allows: a full queue of large messages drains for long on a
// slow link.
constexpr milliseconds kPhaseMargin{60'000};

std::size_t CountAccepted(const std::vector<std::optional<Agreement>>& agreements) {
  return static_cast<std::size_t>(std::count_if(agreements.begin(), agreements.end(),
                                                [](const auto& one) { return one.has_value(); }));
}

class ServerRun {
 public:
  ServerRun(Session& session, const ServeOptions& options) : session_(session), options_(options) {}

  void Run() {
    session_.Begin("awaiting the plan");
    const Deadline idle = In(milliseconds(options_.limits.idle_ms));
    json body = session_.Receive("plan", idle, "its plan");
    const Proposal proposal = Deciding([&] { return ProposalFromJson(std::move(body)); });
    session_.Begin("opening the device");
    const Site site = Open(proposal);
    if (site.session_cpu) session_.PinThread(*site.session_cpu);
    DeviceWatch watch(site, session_, "server", [this](std::string_view warning) {
      Tell({.kind = EventKind::kDeviceWarning, .peer = "", .text = std::string(warning)});
    });
    watch_ = &watch;
    try {
      RunPlan(site, proposal);
    } catch (const std::exception& exception) {
      throw Settle(session_, AsError(exception), "server",
                   [&watch](Error own) { return watch.Explain(std::move(own)); });
    }
  }

 private:
  Site Open(const Proposal& proposal) const {
    const RemoteOptions& asked = proposal.plan.remote;
    Local local = options_.local;
    local.placement = Deciding([&] { return Grant(local.placement, asked); });
    const RailRequest request{.client = proposal.offers,
                              .devices = asked.devices,
                              .client_ip = session_.peer().ip,
                              .server_ip = session_.local().ip};
    std::vector<OpenPort> ports =
        Deciding([&] { return OpenRailsFor(request, local); }, !asked.devices.empty());
    return Deciding([&] { return Site(local, std::move(ports), proposal.plan.MostThreads()); },
                    !asked.cpus.empty() || asked.numa_node);
  }

  void RunPlan(const Site& site, const Proposal& proposal) {
    const std::vector<std::optional<Agreement>> agreements = Accept(site, proposal);
    Tell(PlanAgreed(proposal.plan, CountAccepted(agreements)));
    for (std::size_t i = 0; i < agreements.size(); ++i) {
      if (!agreements[i]) continue;
      for (std::uint32_t run = 1; run <= proposal.plan.tests[i].run.runs; ++run) {
        RunTest(site, proposal, i, *agreements[i], run);
      }
    }
    session_.Begin("saying goodbye");
    session_.ExpectClose();
    session_.Receive("bye", In(kByeTimeout), "its goodbye");
    session_.Send("bye", json::object());
  }

  // One for each test; absent: refused, while others are not. A plan of one test that is refused
  // ends the session.
  std::vector<std::optional<Agreement>> Accept(const Site& site, const Proposal& proposal) {
    session_.Begin("agreeing on the plan");
    const Sides sides{.client = proposal.offers,
                      .server = site.Offers(),
                      .client_ip = session_.peer().ip,
                      .server_ip = session_.local().ip,
                      .keep_samples = proposal.keep_samples};
    std::vector<std::optional<Agreement>> agreements;
    RailGids gids(site.rails.size());
    json list = json::array();
    for (const TestPlan& test : proposal.plan.tests) {
      std::optional<Agreement>& agreement = agreements.emplace_back();
      try {
        agreement = Deciding([&] { return Agree(test, sides, options_.limits); });
        list.push_back({{"agreement", AgreementToJson(*agreement)}});
        TakeGids(*agreement, &Path::server_gid, gids);
      } catch (Error& error) {
        // The client's options clash, though only what both devices have shows it.
        error.At(error.blame() == Blame::kUsage ? "client" : "server", session_.step());
        if (proposal.plan.tests.size() == 1) throw;
        list.push_back({{"refused", ErrorToJson(error)}});
      }
    }
    session_.Accepted();
    session_.SetPeerTimeout(milliseconds(proposal.plan.tests.front().run.peer_timeout_ms));
    const report::Host host = DescribeSite(site, "server", gids);
    session_.Send("accepted", {{"tests", std::move(list)},
                               {"host", HostToJson(host)},
                               {"warnings", EssentialWarnings(site, "server")}});
    return agreements;
  }

  // All sizes once, on queue pairs of their own.
  void RunTest(const Site& site, const Proposal& proposal, std::size_t index,
               const Agreement& agreement, std::uint32_t number) {
    const TestPlan test = OverRails(proposal.plan.tests[index], site.rails.size());
    Tell(TestStarted(test, site.rails.size(), agreement.shapes.size(), number));
    const milliseconds longest_phase = milliseconds(options_.limits.duration_ms) + kPhaseMargin;
    TestRun run({session_, site, test, agreement, Role::kServer, longest_phase,
                 proposal.keep_samples, number, watch_});
    for (std::size_t size = 0; size < agreement.shapes.size(); ++size) {
      const RingShape& shape = agreement.shapes[size];
      if (!test.run.HasSearch()) {
        Measure(run, size, test, shape);
      } else {
        while (run.HearRate()) Measure(run, size, test, shape);
      }
    }
  }

  void Measure(TestRun& run, std::size_t size, const TestPlan& test, const RingShape& shape) {
    SideRun own;
    SideRun client;
    run.Measure(size, {}, own, client);
    if (auto event = SizeMeasured(test, shape.message_bytes, own, client)) Tell(std::move(*event));
  }

  void Tell(Event event) const {
    event.peer = session_.peer().ToString();
    options_.log(event);
  }

  Session& session_;
  const ServeOptions& options_;
  DeviceWatch* watch_ = nullptr;  // while the plan is run
};

}  // namespace

void ServeSession(Connection connection, const ServeOptions& options, const Interrupt* interrupt) {
  SessionOptions session_options;
  session_options.side = "server";
  session_options.peer = "client";
  session_options.interrupt = interrupt;
  Session session(std::move(connection), session_options);
  session.Begin("welcoming");
  try {
    session.Send("welcome", {{"tool_version", kVersion}});
    if (options.request == kDoctorRequest) {
      options.log(
          {.kind = EventKind::kDoctorAsked, .peer = session.peer().ToString(), .text = "doctor"});
      ServeDoctor(session, options.local, milliseconds(options.limits.idle_ms));
    } else {
      ServerRun(session, options).Run();
    }
  } catch (const std::exception& exception) {
    throw Settle(session, AsError(exception), "server");
  }
}

}  // namespace rdmabench
