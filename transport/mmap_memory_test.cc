#include "transport/mmap_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class MmapMemory : public ::testing::Test {
 protected:
  ~MmapMemory() override { std::filesystem::remove(::testing::TempDir() + "mapped"); }

  void Make(std::size_t bytes) const {
    std::ofstream(file_, std::ios::binary) << std::string(bytes, 'x');
  }
  std::string Read() const {
    std::ifstream file(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Buffer Map(std::size_t bytes, std::uint64_t offset = 0) const {
    return kMmapMemory.allocate(
        nullptr,
        {.bytes = bytes, .numa_node = {}, .argument = file_, .others = 0, .file_offset = offset});
  }

  std::string file_ = ::testing::TempDir() + "mapped";
};

TEST_F(MmapMemory, IsTheFile) {
  Make(8192);
  {
    const Buffer buffer = Map(8192);
    buffer.data()[5000] = std::byte{'y'};
  }
  EXPECT_EQ(Read()[5000], 'y');
  EXPECT_EQ(Read()[5001], 'x');
}

TEST_F(MmapMemory, OfAnotherWorkerLiesBehind) {
  Make(kFileAlignment + 4096);
  {
    const Buffer buffer = Map(4096, kFileAlignment);
    buffer.data()[0] = std::byte{'y'};
  }
  EXPECT_EQ(Read()[kFileAlignment], 'y');
}

TEST_F(MmapMemory, NeedsAFileThatIsThere) {
  EXPECT_THAT([this] { Map(4096); },
              Throws<Error>(AllOf(Property(&Error::what, HasSubstr("cannot open '" + file_)),
                                  Property(&Error::remedy, HasSubstr("fallocate")))));
}

TEST_F(MmapMemory, NeedsAFileThatIsLongEnoughAndSaysHowLong) {
  Make(8192);
  EXPECT_THAT(
      [this] { Map(8193); },
      Throws<Error>(AllOf(Property(&Error::what, HasSubstr("has 8192 bytes, and 12288")),
                          Property(&Error::remedy, HasSubstr("fallocate -l 12288 '" + file_)))));
  EXPECT_EQ(Read().size(), 8192U) << "it is left as it is";
}

TEST_F(MmapMemory, IsOfNoFolder) {
  file_ = ::testing::TempDir();
  EXPECT_THAT(
      [this] { Map(4096); },
      Throws<Error>(Property(&Error::what, HasSubstr("is a folder, and cannot be mapped"))));
}

TEST_F(MmapMemory, IsOfNoDeviceThatMapsNothing) {
  file_ = "/dev/null";
  EXPECT_THAT(
      [this] { Map(8192); },
      Throws<Error>(AllOf(Property(&Error::what, HasSubstr("cannot map 8192 bytes of '/dev/null'")),
                          Property(&Error::remedy, HasSubstr("of at least 8192 bytes")))));
}

// Before there is a test, in the same words.
TEST_F(MmapMemory, IsLookedAtBeforeItIsMapped) {
  const auto check = [this] { kMmapMemory.check_argument(file_); };
  EXPECT_THAT(check,
              Throws<Error>(AllOf(Property(&Error::blame, Blame::kEnvironment),
                                  Property(&Error::what, HasSubstr("cannot open '" + file_)))));
  Make(8192);
  EXPECT_NO_THROW(check());
  file_ = ::testing::TempDir();
  EXPECT_THAT(check, Throws<Error>(Property(&Error::what, HasSubstr("is a folder"))));
}

}  // namespace
}  // namespace rdmabench
