#include "report/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/golden_file.h"

namespace rdmabench::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Diagnosis Clean() {
  return {.tool = {.version = "0.1.0", .commit = "0123456"},
          .started_at = "2025-06-01T12:00:00Z",
          .hosts = {{.role = "client", .name = "a", .facts = {{"kernel", "6.1.0"}}}},
          .findings = {},
          .error = {}};
}

Diagnosis OfTwo() {
  Diagnosis diagnosis = Clean();
  diagnosis.hosts = {{.role = "client",
                      .name = "a",
                      .facts = {{"kernel", "6.1.0"},
                                {"governor", "performance"},
                                {"active_mtu_bytes", std::uint64_t{4096}}}},
                     {.role = "server",
                      .name = "b",
                      .facts = {{"kernel", "6.1.0"}, {"active_mtu_bytes", std::uint64_t{1024}}}}};
  diagnosis.findings = {{.id = "memlock",
                         .severity = "severe",
                         .side = "server",
                         .what = "this process may lock 64 KiB of memory",
                         .evidence = "getrlimit(RLIMIT_MEMLOCK): 64 KiB",
                         .effect = "registering memory fails",
                         .remedy = "ulimit -l unlimited"},
                        {.id = "mtu_differs",
                         .severity = "warning",
                         .side = "both",
                         .what = "the MTUs differ",
                         .evidence = "active_mtu_bytes: client 4096, server 1024",
                         .effect = "the smaller one is used",
                         .remedy = "ip link set dev NETDEV mtu 9000"},
                        {.id = "huge_pages",
                         .severity = "note",
                         .side = "client",
                         .what = "no huge pages are set aside",
                         .evidence = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages: 0",
                         .effect = "memory of huge pages is not to be had",
                         .remedy = "sysctl vm.nr_hugepages=1024"}};
  return diagnosis;
}

Diagnosis WithoutServer() {
  Diagnosis diagnosis = Clean();
  diagnosis.error = Failure{.host = "client",
                            .step = "connecting",
                            .code = "nobody_listens",
                            .message = "nobody listens",
                            .remedy = "start rdmabench server there"};
  return diagnosis;
}

struct Sample {
  std::string name;
  Diagnosis (*diagnosis)();
};

void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.name; }

class Golden : public testing::TestWithParam<Sample> {
 protected:
  static void Compare(const std::string& rendered, const std::string& extension) {
    ExpectGolden(rendered, "report/testdata/doctor/" + GetParam().name + extension);
  }
};

TEST_P(Golden, RendersAsBefore) {
  Compare(RenderDiagnosisText(GetParam().diagnosis()), ".txt");
  Compare(RenderDiagnosisJson(GetParam().diagnosis()), ".json");
}

INSTANTIATE_TEST_SUITE_P(All, Golden,
                         testing::Values(Sample{"clean", Clean}, Sample{"two", OfTwo},
                                         Sample{"no_server", WithoutServer}),
                         [](const auto& row) { return row.param.name; });

TEST(Diagnosis, IsSevereByOneFinding) {
  EXPECT_TRUE(IsSevere(OfTwo()));
  Diagnosis diagnosis = OfTwo();
  diagnosis.findings.erase(diagnosis.findings.begin());
  EXPECT_FALSE(IsSevere(diagnosis));
}

TEST(Diagnosis, HasFactsOfOneHostAloneInTheirPlace) {
  Diagnosis diagnosis = OfTwo();
  diagnosis.hosts[1].facts = {
      {"kernel", "6.1.0"}, {"rdma_core", "44.0"}, {"governor", "powersave"}};
  const std::string text = RenderDiagnosisText(diagnosis);
  EXPECT_LT(text.find("kernel"), text.find("rdma_core"));
  EXPECT_LT(text.find("rdma_core"), text.find("governor"));
}

TEST(Diagnosis, IsHarmlessToTheTerminal) {
  Diagnosis diagnosis = OfTwo();
  diagnosis.findings[0].evidence = "/proc/cmdline: \x1b[2J";
  diagnosis.hosts[1].facts[0].second = std::string("\x1b]0;x\x07");
  EXPECT_THAT(RenderDiagnosisText(diagnosis), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace rdmabench::report
