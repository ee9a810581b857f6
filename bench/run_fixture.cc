#include "bench/run_fixture.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "report/version.h"
#include "transport/fake_verbs.h"
#include "transport/frame.h"
#include "transport/hello.h"

namespace rdmabench {
namespace {

// Reads the hello, which in a server is the lobby's work: what it requests.
std::string TakeHello(Connection& connection) {
  FrameDecoder decoder;
  char byte = 0;
  for (;;) {
    if (connection.Read({&byte, 1}) == 0) {
      const int fd = connection.fd();
      WaitReady({&fd, 1}, {}, In(std::chrono::seconds(5)));
    } else if (const auto frame = decoder.Feed({&byte, 1})) {
      return CheckHello(ParseFrame(*frame).second, kVersion).request;
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
  Ending ending;
  Meet(
      [&](const Call& call) {
        RunClient(plan, {.call = call, .local = client_, .observer = observer_}, interrupt_,
                  ending.report);
      },
      ending);
  return ending;
}

void RunFixture::Meet(const std::function<void(const Call& call)>& client, Ending& ending) {
  const std::string address = "127.0.0.1";
  const Listener listener({&address, 1}, 0);
  std::thread server([&] { Serve(listener, ending.server); });
  try {
    Call call;
    call.host = address;
    call.port = listener.port();
    client(call);
  } catch (const Error& error) {
    ending.client = error;
  }
  server.join();
}

void RunFixture::Serve(const Listener& listener, std::optional<Error>& failure) {
  try {
    std::optional<Connection> connection;
    while (!connection) {
      WaitReady(listener.fds(), {}, In(std::chrono::seconds(5)));
      connection = listener.Accept(listener.fds().front());
    }
    ServeOptions options = server_;
    options.request = TakeHello(*connection);
    // The process has one user, who is the client's.
    ServeSession(std::move(*connection), options, nullptr);
  } catch (const Error& error) {
    failure = error;
  }
}

}  // namespace rdmabench
