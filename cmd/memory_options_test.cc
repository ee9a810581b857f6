#include "cmd/memory_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmd/options.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::ThrowsMessage;

Options Parse(std::vector<std::string> args) { return ParseOptions(args); }
const MemoryOptions& MemoryOf(const Options& options) { return options.plan.tests.front().memory; }

TEST(MemoryOptions, ReachThePlan) {
  const Options options =
      Parse({"write_bw", "a", "--memory", "huge2m", "--remote-memory", "odp", "--working-set", "1G",
             "--access", "random", "--mr_per_qp", "--align", "4K", "--offset", "16"});
  const MemoryOptions& memory = MemoryOf(options);
  EXPECT_EQ(memory.kind, "huge2m");
  EXPECT_EQ(memory.remote_kind, "odp");
  EXPECT_EQ(memory.working_set_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(memory.access, "random");
  EXPECT_TRUE(memory.mr_per_qp);
  EXPECT_EQ(memory.align_bytes, 4096U);
  EXPECT_EQ(memory.offset_bytes, 16U);
}

TEST(MemoryOptions, KeepTheClientsFileOutOfThePlan) {
  const Options options = Parse({"write_bw", "a", "--memory", "mmap=/dev/dax0.0"});
  EXPECT_EQ(MemoryOf(options).kind, "mmap");
  EXPECT_THAT(options.local.memory_arguments, ElementsAre(Pair("mmap", "/dev/dax0.0")));
}

TEST(MemoryOptions, TellAServerWhichItsMemoryIs) {
  const Options options = Parse({"server", "--memory", "mmap=/dev/shm/x,dma_heap=reserved"});
  EXPECT_THAT(options.local.memory_arguments,
              ElementsAre(Pair("dma_heap", "reserved"), Pair("mmap", "/dev/shm/x")));
}

struct Faulty {
  std::vector<std::string> args;
  const char* words;
};
class FaultyMemoryOptions : public testing::TestWithParam<Faulty> {};

TEST_P(FaultyMemoryOptions, AreRefused) {
  EXPECT_THAT([] { Parse(GetParam().args); }, ThrowsMessage<Error>(HasSubstr(GetParam().words)));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, FaultyMemoryOptions,
    testing::Values(
        Faulty{{"write_bw", "a", "--memory", "hug2m"}, "unknown kind of memory \"hug2m\""},
        Faulty{{"write_bw", "a", "--memory", "mmap"}, "does not say which file"},
        Faulty{{"write_bw", "a", "--memory", "mmap="}, "does not say which file"},
        Faulty{{"write_bw", "a", "--memory", "host=x"}, "--memory host=x says which"},
        Faulty{{"write_bw", "a", "--memory", "cuda=x"}, "'x' is neither a GPU's number nor"},
        Faulty{{"server", "--memory", "cuda=-1"}, "'-1' is neither a GPU's number nor"},
        Faulty{{"write_bw", "a", "--remote-memory", "mmap=x"}, "says which on the server"},
        Faulty{{"write_bw", "a", "--align", "8K"}, "--align"},
        Faulty{{"server", "--memory", "huge2m"}, "does not say which"}));

}  // namespace
}  // namespace rdmabench
