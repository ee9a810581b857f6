// For tests of a whole run: both sides in one process, real TCP on the loopback, fake verbs below.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/client.h"
#include "bench/serve.h"
#include "transport/error.h"
#include "transport/socket.h"

namespace rdmabench {

struct Ending {
  report::Report report;
  std::optional<Error> client;
  std::optional<Error> server;
};

class RunFixture : public testing::Test {
 protected:
  RunFixture();
  ~RunFixture() override;

  // One test with a short warm-up. `iterations`: absent: by duration.
  static Plan PlanOf(std::string test, std::vector<std::uint64_t> sizes,
                     std::optional<std::uint64_t> iterations);
  // Client and server of one session, until both have ended.
  Ending Run(const Plan& plan);
  // What `client` does with a server, until both have ended.
  void Meet(const std::function<void(const Call& call)>& client, Ending& ending);

  Local client_;
  Observer observer_;
  Interrupt interrupt_;
  ServeOptions server_{.local = {}, .limits = {}, .log = [](const Event&) {}};

 private:
  void Serve(const Listener& listener, std::optional<Error>& failure);
};

}  // namespace rdmabench
