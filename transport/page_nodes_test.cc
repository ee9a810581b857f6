#include "transport/page_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "transport/device.h"
#include "transport/fake_verbs.h"
#include "transport/handle.h"
#include "transport/memory.h"

namespace rdmabench {
namespace {

std::size_t PageBytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Memory that nobody has touched yet.
class Untouched {
 public:
  explicit Untouched(std::size_t pages) : bytes_(pages * PageBytes()) {
    void* data = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    data_ = static_cast<std::byte*>(data);
    // A huge page would be there as a whole when one byte of it is touched.
    madvise(data, bytes_, MADV_NOHUGEPAGE);
  }
  ~Untouched() { munmap(data_, bytes_); }
  Untouched(const Untouched&) = delete;
  Untouched& operator=(const Untouched&) = delete;

  void Touch(std::size_t pages) {
    for (std::size_t i = 0; i < pages; ++i) data_[i * PageBytes()] = std::byte{1};
  }
  std::span<const std::byte> span() const { return {data_, bytes_}; }

 private:
  std::size_t bytes_;
  std::byte* data_;
};

// Every machine has node 0, and this one may have others, on which the pages could be.
std::optional<PageCount> OnAnyNode(std::span<const std::byte> region) {
  std::optional<PageCount> sum;
  for (unsigned node = 0; node < 64; ++node) {
    const std::optional<PageCount> count = CountPagesOnNode(region, node);
    if (!count) return std::nullopt;
    if (!sum) sum = PageCount{.asked = count->asked};
    sum->on_node += count->on_node;
  }
  return sum;
}

#define SKIP_WITHOUT_THE_CALL(count) \
  if (!(count)) GTEST_SKIP() << "this kernel or container does not tell where pages are"

TEST(PageNodes, HaveEveryTouchedPage) {
  Untouched memory(10);
  memory.Touch(10);
  const std::optional<PageCount> count = OnAnyNode(memory.span());
  SKIP_WITHOUT_THE_CALL(count);
  EXPECT_EQ(count->asked, 10U);
  EXPECT_EQ(count->on_node, 10U);
}

TEST(PageNodes, LeaveOutThosePagesThatAreNowhere) {
  Untouched memory(10);
  memory.Touch(7);
  const std::optional<PageCount> count = OnAnyNode(memory.span());
  SKIP_WITHOUT_THE_CALL(count);
  EXPECT_EQ(count->asked, 7U);
  EXPECT_EQ(count->on_node, 7U);
}

TEST(PageNodes, AreNotKnownWhereEveryPageIsNowhere) {
  EXPECT_FALSE(CountPagesOnNode(Untouched(10).span(), 0));
}

TEST(PageNodes, CountPagesThatAreBegun) {
  Untouched memory(4);
  memory.Touch(4);
  const std::optional<PageCount> count =
      OnAnyNode(memory.span().subspan(PageBytes() - 1, PageBytes() + 2));
  SKIP_WITHOUT_THE_CALL(count);
  EXPECT_EQ(count->on_node, 3U);
}

TEST(PageNodes, AreAskedForAllOverALargeRegion) {
  Untouched memory(2 * kMostPagesAsked);
  memory.Touch(kMostPagesAsked);
  const std::optional<PageCount> count = OnAnyNode(memory.span());
  SKIP_WITHOUT_THE_CALL(count);
  EXPECT_EQ(count->asked, kMostPagesAsked / 2);
  EXPECT_EQ(count->on_node, kMostPagesAsked / 2);
}

TEST(PageNodes, AreNoneOfAnEmptyRegion) {
  const std::optional<PageCount> count = CountPagesOnNode({}, 0);
  ASSERT_TRUE(count);
  EXPECT_EQ(count->asked, 0U);
}

TEST(PageNodes, AreThoseThatMessageMemoryWasBoundTo) {
  fake::Reset();
  const Device device = Device::Open("fake0");
  const Pd pd(ibv_alloc_pd(device.context()));
  const MemoryRegion memory(pd.get(), FindMemoryKind("host"),
                            {.bytes = 64 * PageBytes(), .numa_node = 0U}, 0);
  const std::optional<PageCount> count = CountPagesOnNode({memory.data(), memory.size()}, 0);
  SKIP_WITHOUT_THE_CALL(count);
  EXPECT_EQ(count->on_node, 64U);
}

}  // namespace
}  // namespace rdmabench
