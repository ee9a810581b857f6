#include "bench/doctor_session.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/deciding.h"
#include "bench/entrance.h"
#include "bench/examine_request.h"
#include "bench/placement_warnings.h"
#include "bench/rails.h"
#include "report/context.h"
#include "report/version.h"
#include "transport/account_json.h"
#include "transport/catalogue.h"
#include "transport/device.h"
#include "transport/doctor.h"
#include "transport/hello.h"
#include "transport/machine.h"
#include "transport/placement.h"
#include "transport/printable.h"
#include "transport/side_facts.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// A large machine has some thousand files to read.
constexpr milliseconds kAccountTimeout{60'000};
constexpr milliseconds kByeTimeout{30'000};

Machine ReadMachineOf(const Local& local) {
  MachineChoice choice;
  for (const std::string& name : local.devices) {
    if (IsAll(local.devices)) break;
    choice.devices.push_back({.name = std::string(DeviceIn(name)), .port = PortIn(name)});
  }
  choice.port = local.port;
  choice.gid_index = local.gid_index;
  return ReadMachine(choice);
}

// Of the devices that were read, the one that was named, or the one with this address of the
// session. A test's client would use it; its server may choose another by the client's subnets,
// which are not told here.
const DeviceInfo* UsedDevice(const Machine& machine, std::string_view session_ip) {
  const auto named = [&machine](const std::string& name) {
    const auto found =
        std::find_if(machine.devices.begin(), machine.devices.end(),
                     [&name](const DeviceInfo& device) { return device.name == name; });
    return found == machine.devices.end() ? nullptr : &*found;
  };
  if (machine.devices.empty()) return nullptr;
  if (machine.chosen) return &machine.devices.front();
  try {
    return named(Device::OpenFor(session_ip).info().name);
  } catch (const Error&) {
    // No port is active; the findings say so.
    return &machine.devices.front();
  }
}

SideFacts FactsOf(const Machine& machine, std::string_view session_ip) {
  UsedPort used{.machine = machine, .tool_version = kVersion};
  used.device = UsedDevice(machine, session_ip);
  if (used.device != nullptr && !used.device->ports.empty()) {
    const std::vector<PortInfo>& ports = used.device->ports;
    const auto active = std::find_if(ports.begin(), ports.end(), [](const PortInfo& port) {
      return port.state == IBV_PORT_ACTIVE;
    });
    used.port = active == ports.end() ? &ports.front() : &*active;
  }
  return ReadFacts(used);
}

report::Examined ExaminedOf(std::string role, std::string name, const SideFacts& side) {
  report::Examined examined{.role = std::move(role), .name = std::move(name)};
  for (const Fact& fact : side.facts) examined.facts.emplace_back(fact.name, fact.value);
  return examined;
}

std::vector<report::Finding> Described(const std::vector<Finding>& findings) {
  std::vector<report::Finding> described;
  described.reserve(findings.size());
  for (const Finding& finding : findings) {
    described.push_back({.id = finding.id,
                         .severity = std::string(SeverityName(finding.severity)),
                         .side = finding.side,
                         .what = finding.what,
                         .evidence = finding.evidence,
                         .effect = finding.effect,
                         .remedy = finding.remedy});
  }
  return described;
}

// With the devices that the client asks for. Throws as CheckRemoteDevices() does.
Local Granted(Local local, const ExamineRequest& asked) {
  CheckRemoteDevices(asked.devices, local);
  if (!asked.devices.empty()) local.devices = asked.devices;
  return local;
}

Account Ask(Session& session, const DoctorOptions& options) {
  Enter(session, kDoctorRequest, *options.call, options.observer);
  session.Begin("waiting for the server's examination");
  session.Send("examine", ExamineRequestToJson({.devices = options.remote_devices}));
  const json body = session.Receive("account", In(kAccountTimeout), "its examination");
  Account account = AccountFromJson(body, "server");
  session.Begin("saying goodbye");
  session.ExpectClose();
  session.Send("bye", json::object());
  session.Receive("bye", In(kByeTimeout), "its goodbye");
  return account;
}

}  // namespace

void Diagnose(const DoctorOptions& options, const Interrupt& interrupt,
              report::Diagnosis& diagnosis) {
  const Machine machine = ReadMachineOf(options.local);
  std::vector<Finding> findings = Examine(machine, "client");
  const std::string name = report::DescribeHost().name;
  SideFacts facts = FactsOf(machine, "");
  diagnosis.hosts = {ExaminedOf("client", name, facts)};
  diagnosis.findings = Described(findings);
  // Nothing has waited until now, and so nothing has looked.
  if (interrupt.Pending()) {
    throw Error(Interruption().At("client", "examining this machine"));
  }
  if (!options.call) return;

  std::unique_ptr<Session> session;
  try {
    session = OpenSession(*options.call, interrupt);
    const Account account = Ask(*session, options);
    facts = FactsOf(machine, session->local().ip);
    diagnosis.hosts = {ExaminedOf("client", name, facts),
                       ExaminedOf("server", account.host, account.facts)};
    const std::vector<Finding> differences =
        Compare(facts, account.facts, session->local().ip, session->peer().ip);
    findings.insert(findings.end(), account.findings.begin(), account.findings.end());
    findings.insert(findings.end(), differences.begin(), differences.end());
    SortBySeverity(findings);
    diagnosis.findings = Described(findings);
  } catch (const std::exception& exception) {
    GiveUp(session.get(), exception);
  }
}

void ServeDoctor(Session& session, const Local& local, milliseconds idle) {
  session.Begin("awaiting what to examine");
  const json body = session.Receive("examine", In(idle), "what to examine");
  session.Begin("examining this machine");
  const Local asked = Deciding([&] { return Granted(local, ExamineRequestFromJson(body)); });
  const Machine machine = ReadMachineOf(asked);
  const Account account{.host = report::DescribeHost().name,
                        .findings = Examine(machine, "server"),
                        .facts = FactsOf(machine, session.local().ip)};
  session.Send("account", AccountToJson(account));
  session.Begin("saying goodbye");
  session.ExpectClose();
  session.Receive("bye", In(kByeTimeout), "its goodbye");
  session.Send("bye", json::object());
}

std::vector<std::string> EssentialWarnings(const Site& site, std::string_view side) {
  std::vector<DeviceInfo> devices;
  std::vector<PlacedDevice> placed;
  for (const Rail& rail : site.rails) {
    devices.push_back(rail.device.info());
    devices.back().ports = {rail.port};
    placed.push_back({rail.device.info().name, rail.placement});
  }
  std::vector<std::string> warnings = SharingWarnings(placed);
  // What a server was started with is there for its clients to choose from.
  const bool is_pool = side == "server" && site.idle.option == PlacementChoice().cpus_option;
  std::string idle = IdleWarning(site.idle.cpus, site.idle.option, site.idle.workers);
  if (!idle.empty() && !is_pool) warnings.push_back(std::move(idle));
  for (std::string& warning : warnings) warning = std::string(side) + ": " + warning;
  for (const Finding& finding : ExamineEssentials(MachineWith(std::move(devices)), side)) {
    if (warnings.size() == kMostWarnings) break;
    warnings.push_back(Printable(FindingLine(finding), kLongestWarning));
  }
  return warnings;
}

}  // namespace rdmabench
