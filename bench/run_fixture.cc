#include "bench/run_fixture.h"

#include <chrono>
#include <thread>
#include <utility>

#include "transport/fake_verbs.h"
#include "transport/frame.h"

namespace rdmabench {
namespace {

// Reads the hello, which in a server is the lobby's work.
void TakeHello(Connection& connection) {
  FrameDecoder decoder;
  char byte = 0;
  for (;;) {
    if (connection.Read({&byte, 1}) == 0) {
      const int fd = connection.fd();
      WaitReady({&fd, 1}, {}, In(std::chrono::seconds(5)));
    } else if (decoder.Feed({&byte, 1})) {
      return;
    }
  }
}

}  // namespace

RunFixture::RunFixture() { fake::Reset(); }

RunFixture::~RunFixture() { EXPECT_EQ(fake::LiveObjects(), 0U) << "something was not given back"; }

Plan RunFixture::PlanOf(std::string test, std::vector<std::uint64_t> sizes,
                        std::optional<std::uint64_t> iterations) {
  TestPlan plan;
  plan.test = std::move(test);
  plan.run.message_bytes = std::move(sizes);
  plan.run.iterations = iterations;
  plan.run.warmup_ms = 20;
  return {.tests = {plan}};
}

Ending RunFixture::Run(const Plan& plan) {
  const std::string address = "127.0.0.1";
  const Listener listener({&address, 1}, 0);
  Ending ending;
  std::thread server([&] { Serve(listener, ending.server); });
  try {
    ClientOptions options;
    options.call.host = address;
    options.call.port = listener.port();
    options.local = client_;
    options.observer = observer_;
    RunClient(plan, options, interrupt_, ending.report);
  } catch (const Error& error) {
    ending.client = error;
  }
  server.join();
  return ending;
}

void RunFixture::Serve(const Listener& listener, std::optional<Error>& failure) {
  try {
    std::optional<Connection> connection;
    while (!connection) {
      WaitReady(listener.fds(), {}, In(std::chrono::seconds(5)));
      connection = listener.Accept(listener.fds().front());
    }
    TakeHello(*connection);
    // The process has one user, who is the client's.
    ServeSession(std::move(*connection), server_, nullptr);
  } catch (const Error& error) {
    failure = error;
  }
}

}  // namespace rdmabench
