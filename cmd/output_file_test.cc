#include "cmd/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "cmd/test_folder.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class OutputFileTest : public testing::TestWithParam<bool>, protected TestFolder {
 protected:
  OutputFile::Options To(const std::string& name) const {
    return {.path = (folder_ / name).string(),
            .content = "the samples",
            .option = "--samples",
            .patience = milliseconds(100),
            .is_named = GetParam()};
  }
  std::string MakePipe() const {
    const std::string path = (folder_ / "pipe").string();
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    return path;
  }
};

TEST_P(OutputFileTest, StandsInItsPlaceOncePublished) {
  for (const char* before : {"", "old"}) {
    if (*before != 0) std::ofstream(folder_ / "f") << before;
    OutputFile file(To("f"));
    file.stream() << "one ";
    file.stream().flush();
    EXPECT_NE(Read("f"), "one ");
    file.Publish();
    EXPECT_EQ(Read("f"), "one ");
    file.stream() << "two";
    file.Publish();
    EXPECT_EQ(Read("f"), "one two");
    EXPECT_EQ(Files(), 1U);
  }
}

TEST_P(OutputFileTest, ReplacesOneDocumentByTheNext) {
  OutputFile file(To("f"));
  for (const char* text : {"a longer one", "short"}) {
    file.Begin();
    file.stream() << text;
    file.Publish();
    EXPECT_EQ(Read("f"), text);
  }
  EXPECT_EQ(Files(), 1U);
}

TEST_P(OutputFileTest, LeavesNothingOfWhatIsNotPublished) {
  {
    OutputFile file(To("f"));
    file.stream() << "half";
  }
  EXPECT_EQ(Files(), 0U);
}

TEST_P(OutputFileTest, TakesMoreThanItsBufferHolds) {
  const std::string text(1'000'000, 'x');
  OutputFile file(To("f"));
  file.stream() << text;
  file.Publish();
  EXPECT_EQ(Read("f"), text);
}

TEST_P(OutputFileTest, SaysWhatIsWrongAgainWhenItIsAskedAgain) {
  OutputFile::Options options = To("");
  options.path = "/dev/full";
  OutputFile file(options);
  const std::string large(1'000'000, 'x');
  const auto failure =
      AllOf(HasSubstr("cannot write the samples to '/dev/full'"), HasSubstr("No space left"));
  EXPECT_THAT([&] { file.stream() << large; }, ThrowsMessage<Error>(failure));
  EXPECT_THAT([&] { file.Publish(); }, ThrowsMessage<Error>(failure));
}

TEST_P(OutputFileTest, WaitsForThePipesReaderNoLongerThanItsPatience) {
  MakePipe();
  EXPECT_THAT([&] { OutputFile file(To("pipe")); },
              ThrowsMessage<Error>(HasSubstr("nobody has opened it for reading within 0.1 s")));
}

TEST_P(OutputFileTest, DoesNotWaitForAReaderThatTakesNothingWhileSomebodyElseWaits) {
  const Descriptor reader(open(MakePipe().c_str(), O_RDONLY | O_NONBLOCK));
  OutputFile::Options options = To("pipe");
  options.is_awaited = true;
  OutputFile file(options);
  const std::string large(1'000'000, 'x');
  EXPECT_THAT([&] { file.stream() << large; },
              ThrowsMessage<Error>(HasSubstr("its reader has taken nothing for 0.1 s")));
}

TEST_P(OutputFileTest, EndsWaitingForAReaderAtAnInterrupt) {
  const Descriptor reader(open(MakePipe().c_str(), O_RDONLY | O_NONBLOCK));
  const Interrupt interrupt;
  OutputFile::Options options = To("pipe");
  options.interrupt = &interrupt;
  OutputFile file(options);
  kill(getpid(), SIGINT);
  const std::string large(1'000'000, 'x');
  try {
    file.stream() << large;
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::kInterrupted);
    EXPECT_EQ(error.entry(), "interrupted");
  }
}

TEST_P(OutputFileTest, EndsWaitingForTheFirstReaderAtAnInterrupt) {
  MakePipe();
  const Interrupt interrupt;
  OutputFile::Options options = To("pipe");
  options.interrupt = &interrupt;
  options.patience = std::chrono::minutes(1);
  kill(getpid(), SIGINT);
  EXPECT_THAT([&] { OutputFile file(options); }, ThrowsMessage<Error>(HasSubstr("interrupted")));
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutANameMeanwhile, OutputFileTest, testing::Bool());

}  // namespace
}  // namespace rdmabench
