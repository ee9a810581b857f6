// Both sides of the doctor in one process: real TCP on the loopback, fake verbs below. What else is
// found is of the machine that runs the test.
#include "bench/doctor_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/entrance.h"
#include "bench/run_fixture.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"
#include "transport/hello.h"
#include "transport/session.h"
#include "transport/side_facts.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

struct Examination {
  report::Diagnosis diagnosis;
  Ending ending;
};

class DoctorSession : public RunFixture {
 protected:
  Examination Examine() {
    Examination examination;
    Meet(
        [&](const Call& call) {
          Diagnose({.call = call, .local = client_, .remote_devices = remote_, .observer = {}},
                   interrupt_, examination.diagnosis);
        },
        examination.ending);
    return examination;
  }

  report::Diagnosis ExamineAlone() {
    report::Diagnosis diagnosis;
    Diagnose({.call = {}, .local = client_, .remote_devices = {}, .observer = {}}, interrupt_,
             diagnosis);
    return diagnosis;
  }

  std::vector<std::string> remote_;
};

auto Is(const std::string& id, const std::string& side, const std::string& severity) {
  return AllOf(Field(&report::Finding::id, id), Field(&report::Finding::side, side),
               Field(&report::Finding::severity, severity));
}

fake::FakeDevice WithPort(ibv_port_state state) {
  fake::FakeDevice device;
  device.state = state;
  return device;
}

TEST_F(DoctorSession, HasTheAccountOfBothSides) {
  const Examination examination = Examine();
  ASSERT_FALSE(examination.ending.client) << examination.ending.client->what();
  ASSERT_FALSE(examination.ending.server) << examination.ending.server->what();
  ASSERT_THAT(examination.diagnosis.hosts, SizeIs(2));
  EXPECT_EQ(examination.diagnosis.hosts[0].role, "client");
  EXPECT_EQ(examination.diagnosis.hosts[1].role, "server");
  EXPECT_EQ(examination.diagnosis.hosts[0].facts, examination.diagnosis.hosts[1].facts)
      << "it is one machine";
  EXPECT_THAT(examination.diagnosis.hosts[0].facts, Contains(Pair("device", testing::_)));
  EXPECT_THAT(examination.diagnosis.findings, Not(Contains(Field(&report::Finding::side, "both"))));
}

TEST_F(DoctorSession, FindsWhatWasNamedAndIsNotThere) {
  client_.devices = {"nope"};
  EXPECT_THAT(ExamineAlone().findings, Contains(Is("no_device", "client", "severe")));
  client_.devices = {"fake0"};
  client_.port = 2;
  EXPECT_THAT(ExamineAlone().findings, Contains(Is("port_state", "client", "severe")));
  client_.port = 1;
  EXPECT_THAT(ExamineAlone().findings, Not(Contains(Field(&report::Finding::severity, "severe"))));
  client_.gid_index = 99;
  EXPECT_THAT(ExamineAlone().findings,
              Contains(AllOf(Is("gid", "client", "severe"),
                             Field(&report::Finding::what, HasSubstr("--gid-index 99")))));
}

TEST_F(DoctorSession, FindsOfBothSidesWhatIsOfBoth) {
  fake::FakeDevice device;
  device.gids = {{"fe80::1"}};
  fake::Reset({device});
  const std::vector<report::Finding> findings = Examine().diagnosis.findings;
  EXPECT_THAT(findings, Contains(Is("gid", "client", "warning")));
  EXPECT_THAT(findings, Contains(Is("gid", "server", "warning")));
}

TEST_F(DoctorSession, ComparesWhatTheSidesChoose) {
  fake::FakeDevice large;
  large.name = "fake1";
  large.active_mtu = IBV_MTU_4096;
  fake::Reset({fake::FakeDevice{}, large});
  client_.devices = {"fake0"};
  server_.local.devices = {"fake1"};
  const Examination examination = Examine();
  ASSERT_FALSE(examination.ending.client) << examination.ending.client->what();
  const auto& findings = examination.diagnosis.findings;
  ASSERT_THAT(findings, Contains(Is("mtu_differs", "both", "warning")));
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [](const auto& finding) { return finding.id == "mtu_differs"; });
  EXPECT_THAT(found->evidence, HasSubstr("active_mtu_bytes: client 1024, server 4096"));
}

TEST_F(DoctorSession, ComparesWithTheDeviceThatTheClientNamesOfTheServer) {
  fake::FakeDevice large;
  large.name = "fake1";
  large.active_mtu = IBV_MTU_4096;
  fake::Reset({fake::FakeDevice{}, large});
  client_.devices = remote_ = {"fake1"};
  const Examination same = Examine();
  ASSERT_FALSE(same.ending.client) << same.ending.client->what();
  EXPECT_THAT(same.diagnosis.findings, Not(Contains(Field(&report::Finding::id, "mtu_differs"))));
  remote_ = {"fake0"};
  EXPECT_THAT(Examine().diagnosis.findings, Contains(Is("mtu_differs", "both", "warning")));
}

TEST_F(DoctorSession, FindsWhatWasNamedOfTheServerAndIsNotThere) {
  remote_ = {"nope"};
  EXPECT_THAT(Examine().diagnosis.findings, Contains(Is("no_device", "server", "severe")));
}

TEST_F(DoctorSession, IsNotGrantedADeviceWhereTheServerHasAList) {
  remote_ = {"fake0"};
  server_.local.devices = {"fake0"};
  const Examination examination = Examine();
  ASSERT_TRUE(examination.ending.client);
  EXPECT_THAT(examination.ending.client->what(), HasSubstr("started with --ib-dev fake0"));
  EXPECT_THAT(examination.diagnosis.hosts, SizeIs(1));
  ASSERT_TRUE(examination.ending.server);
  EXPECT_TRUE(examination.ending.server->is_refusal());
}

TEST_F(DoctorSession, IsNotServedWithoutSayingWhatToExamine) {
  server_.limits.idle_ms = 50;
  Ending ending;
  Meet(
      [&](const Call& call) {
        const auto session = OpenSession(call, interrupt_);
        Enter(*session, kDoctorRequest, call, {});
        session->Receive("account", In(std::chrono::seconds(10)), "what must not come");
      },
      ending);
  ASSERT_TRUE(ending.server);
  EXPECT_THAT(ending.server->what(), HasSubstr("did not send what to examine within"));
  EXPECT_EQ(ending.server->step(), "awaiting what to examine");
}

TEST_F(DoctorSession, SaysThatNoGidsCanTalk) {
  client_.gid_index = 0;
  server_.local.gid_index = 1;
  EXPECT_THAT(Examine().diagnosis.findings, Contains(Is("gid_pair", "both", "severe")));
}

TEST_F(DoctorSession, ServesAlthoughNothingCanBeMeasured) {
  fake::Reset({WithPort(IBV_PORT_DOWN)});
  const Examination examination = Examine();
  ASSERT_FALSE(examination.ending.client) << examination.ending.client->what();
  EXPECT_TRUE(IsSevere(examination.diagnosis));
  EXPECT_THAT(examination.diagnosis.findings, Contains(Is("port_state", "server", "severe")));

  fake::Reset({});
  EXPECT_THAT(Examine().diagnosis.findings, Contains(Is("no_device", "server", "severe")));
}

TEST_F(DoctorSession, LooksAtThisMachineAlone) {
  fake::Reset({WithPort(IBV_PORT_DOWN)});
  const report::Diagnosis diagnosis = ExamineAlone();
  EXPECT_THAT(diagnosis.hosts, SizeIs(1));
  EXPECT_THAT(diagnosis.findings, Contains(Is("port_state", "client", "severe")));
}

TEST_F(DoctorSession, HasThisMachinesAccountThoughNobodyAnswers) {
  report::Diagnosis diagnosis;
  Call call;
  call.host = "127.0.0.1";
  call.port = 1;
  call.connect_timeout = std::chrono::milliseconds(1);
  EXPECT_THROW(Diagnose({.call = call, .local = client_, .remote_devices = {}, .observer = {}},
                        interrupt_, diagnosis),
               Error);
  EXPECT_THAT(diagnosis.hosts, SizeIs(1));
}

TEST_F(DoctorSession, DoesNotOpenADeviceThatDoesNotOpen) {
  fake::Inject({.failing_call = "ibv_open_device", .failing_errno = 13});
  EXPECT_THAT(ExamineAlone().findings, Contains(Is("device_open", "client", "severe")));
}

TEST(DoctorSchema, HasEachFactInItsOrder) {
  std::ifstream file("report/doctor_schema.json");
  const auto schema = nlohmann::ordered_json::parse(file);
  const auto& properties = schema["$defs"]["facts"]["properties"];
  std::vector<std::string> names;
  for (const auto& [name, value] : properties.items()) names.push_back(name);
  std::vector<std::string> rows;
  for (const FactRow& row : FactRows()) rows.emplace_back(row.name);
  EXPECT_EQ(names, rows);
}

}  // namespace
}  // namespace rdmabench
