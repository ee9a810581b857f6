// The double itself: what it would let pass, no test of memory on a GPU could find.
#include "transport/fake_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/cuda_driver.h"
#include "transport/cuda_functions.h"

namespace rdmabench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kBytes = 65536;

class FakeCuda : public ::testing::Test {
 protected:
  ~FakeCuda() override { state_ = {}; }

  static fake::FakeCuda& Fresh() {
    fake::FakeCuda& state = fake::LoadFakeCuda();
    state = {};
    return state;
  }
  cuda::Context Enter() const {
    cuda::Context context = nullptr;
    EXPECT_EQ(cuda_.retain_context(&context, 0), cuda::kSuccess);
    EXPECT_EQ(cuda_.set_context(context), cuda::kSuccess);
    return context;
  }
  cuda::Address Allocate() const {
    cuda::Address address = 0;
    EXPECT_EQ(cuda_.allocate(&address, kBytes), cuda::kSuccess);
    return address;
  }

  fake::FakeCuda& state_ = Fresh();
  const CudaDriver driver_{fake::kFakeCudaLibrary};
  const CudaFunctions& cuda_ = driver_.functions();
};

TEST_F(FakeCuda, BearsWhatIsInOrder) {
  Enter();
  EXPECT_EQ(cuda_.release(Allocate()), cuda::kSuccess);
  EXPECT_EQ(cuda_.release_context(0), cuda::kSuccess);
  EXPECT_THAT(state_.misuses, IsEmpty());
}

TEST_F(FakeCuda, NoticesAContextThatGoesBeforeItsMemory) {
  const cuda::Context context = Enter();
  const cuda::Address address = Allocate();
  cuda_.release_context(0);
  EXPECT_THAT(state_.misuses, Contains(HasSubstr("goes before its memory")));
  EXPECT_EQ(Enter(), context);
  cuda_.release(address);
}

TEST_F(FakeCuda, NoticesMemoryThatIsFreedTwice) {
  Enter();
  const cuda::Address address = Allocate();
  cuda_.release(address);
  EXPECT_NE(cuda_.release(address), cuda::kSuccess);
  EXPECT_THAT(state_.misuses, Contains(HasSubstr("freed")));
}

TEST_F(FakeCuda, NoticesMemoryThatIsFreedOutsideOfItsContext) {
  const cuda::Context context = Enter();
  const cuda::Address address = Allocate();
  cuda_.set_context(nullptr);
  EXPECT_NE(cuda_.release(address), cuda::kSuccess);
  EXPECT_THAT(state_.misuses, Contains(HasSubstr("freed")));
  cuda_.set_context(context);
  cuda_.release(address);
}

TEST_F(FakeCuda, NoticesAContextThatIsReleasedTwice) {
  Enter();
  cuda_.release_context(0);
  EXPECT_NE(cuda_.release_context(0), cuda::kSuccess);
  EXPECT_THAT(state_.misuses, Contains(HasSubstr("nobody holds")));
}

TEST_F(FakeCuda, ExportsWholePagesOnly) {
  Enter();
  const cuda::Address address = Allocate();
  int file = -1;
  EXPECT_NE(cuda_.export_range(&file, address, 4096, cuda::kDmabufHandle, 0), cuda::kSuccess)
      << "a block does not start at a page";
  cuda_.release(address);
}

TEST_F(FakeCuda, FillsNothingBeyondABlock) {
  Enter();
  const cuda::Address address = Allocate();
  EXPECT_NE(cuda_.fill(address, 0, kBytes + 1), cuda::kSuccess);
  cuda_.release(address);
}

}  // namespace
}  // namespace rdmabench
