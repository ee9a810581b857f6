#include "cmd/perftest_hints.h"

namespace rdmabench {
namespace {

struct Hint {
  std::string_view option;
  std::string_view words;
};

constexpr std::string_view kNotNeeded = "it is not needed here; leave it out";
constexpr std::string_view kUnits = "Gb/s, MiB/s and M messages/s are all printed; leave it out";
constexpr std::string_view kJson = "--json FILE writes the report";
constexpr std::string_view kHistogram = "the JSON always has latency.histogram; leave it out";

constexpr std::string_view kPorts = "-d mlx4_0:1,mlx4_0:2 uses both ports at once";
constexpr std::string_view kTalk = "the two sides always talk over TCP; leave it out";

constexpr Hint kHints[] = {
    {"-A", "fetch_add_* and cmp_swap_* are tests of their own"},
    {"--atomic-type", "fetch_add_* and cmp_swap_* are tests of their own"},
    {"-F", kNotNeeded},
    {"--CPU-freq", kNotNeeded},
    {"-N", kNotNeeded},
    {"--noPeak", kNotNeeded},
    {"-H", kHistogram},
    {"--report-histogram", kHistogram},
    {"-U", "--samples FILE writes every sample"},
    {"--report-unsorted", "--samples FILE writes every sample"},
    {"-C", "times are in us, in the JSON in ns"},
    {"--report-cycles", "times are in us, in the JSON in ns"},
    {"-f", "--warmup TIME is what is left out at the start; nothing is at the end"},
    {"--margin", "--warmup TIME is what is left out at the start; nothing is at the end"},
    {"--report-gbits", kUnits},
    {"--report-both", "the JSON has both ends' accounts under traffic; leave it out"},
    {"-W", "the JSON has every port counter that moved under counters"},
    {"--report-counters", "the JSON has every port counter that moved under counters"},
    {"--out-json", kJson},
    {"--out-json-file", kJson},
    {"--latency-gap", "--rate 1Kpps sends at planned times, whatever has been answered"},
    {"--rate-limit", "--rate 10Gbps, --rate 8.388608Mbps (1 MiB/s) or --rate 2.5Mpps"},
    {"--rate-units", "the unit is in the value: --rate 10Gbps or --rate 2.5Mpps"},
    {"--rate-limit-type", "--rate is always kept by the software"},
    {"--burst-size", "--burst N, with --rate"},
    {"--write-with-imm", "write_imm_bw and write_imm_lat are tests of their own"},
    {"--perform-warm-up", "there always is one; --warmup TIME says how long"},
    {"--disable-pcie-relaxed", "--relaxed-ordering off"},
    {"--data-validation", "--verify"},
    {"--disable-numa", "--no-pin leaves the threads to the system"},
    {"--use-hugepages", "--memory huge2m or --memory huge1g"},
    {"--mmap", "--memory mmap=FILE, and on the server its own; from the file's beginning"},
    {"--mmap-offset", "--memory mmap=FILE maps a file from its beginning"},
    {"--odp", "--memory odp"},
    {"--use-cuda", "--memory cuda=0, or --memory cuda for the GPU nearest to the device"},
    {"--use-cuda-bus-id", "--memory cuda=3b:00.0"},
    {"--use-cuda-dmabuf", "--memory cuda tries dma-buf first; leave it out"},
    {"-O", kPorts},
    {"--dualport", kPorts},
    {"--report-per-port", "with several ports the report always has each one's figures"},
    {"-z", kTalk},
    {"--comm-rdma-cm", kTalk},
    {"--com-rdma-cm", kTalk},
};

}  // namespace

std::string_view PerftestHint(std::string_view option) {
  for (const Hint& hint : kHints) {
    if (hint.option == option) return hint.words;
  }
  return {};
}

}  // namespace rdmabench
