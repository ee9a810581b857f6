#include "transport/loopback.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "transport/error.h"
#include "transport/frame.h"

namespace rdmabench {
namespace {

void Await(std::span<const int> readable, std::span<const int> writable, Deadline deadline) {
  for (const bool ready : WaitReady(readable, writable, deadline)) {
    if (ready) return;
  }
  throw Error(Blame::kRun, "the test has lost its patience");
}

}  // namespace

ConnectedPair Connect() {
  const std::array<std::string, 1> here = {"127.0.0.1"};
  const Listener listener(here, 0);
  Connection dialled = Dial({.host = here[0], .port = listener.port()});
  Await(listener.fds(), {}, In(kTestPatience));
  std::optional<Connection> accepted = listener.Accept(listener.fds()[0]);
  return {std::move(dialled), std::move(accepted).value()};
}

void SendAll(Connection& connection, std::string_view bytes) {
  const Deadline deadline = In(kTestPatience);
  const std::array<int, 1> fd = {connection.fd()};
  while (!bytes.empty()) {
    bytes.remove_prefix(connection.Write(bytes));
    if (!bytes.empty()) Await({}, fd, deadline);
  }
}

std::optional<std::pair<std::string, nlohmann::json>> ReadFrame(Connection& connection) {
  const Deadline deadline = In(kTestPatience);
  const std::array<int, 1> fd = {connection.fd()};
  FrameDecoder decoder(kMaxFrame);
  std::vector<char> buffer(std::size_t{64} * 1024);
  while (!connection.closed()) {
    const std::size_t most = std::min(buffer.size(), decoder.wanted());
    const std::size_t count = connection.Read(std::span(buffer).first(most));
    const std::optional<std::string> text = decoder.Feed(std::span(buffer).first(count));
    if (text) {
      auto frame = ParseFrame(*text);
      if (frame.first != "heartbeat") return frame;
    } else if (count == 0 && !connection.closed()) {
      Await(fd, {}, deadline);
    }
  }
  return std::nullopt;
}

}  // namespace rdmabench
