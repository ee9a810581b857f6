// TCP with deadlines, and the datagrams of a service manager: the only file of the suite that calls
// the socket API. Non-blocking throughout; dual-stack; every error names the address.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/deadline.h"
#include "transport/descriptor.h"
#include "transport/interrupt.h"

namespace rdmabench {

// An IP address as text, without port or zone brackets: "192.168.77.2", "fe80::1%eth1".
struct SocketAddress {
  std::string ip;
  std::uint16_t port = 0;
  std::string ToString() const;  // "192.168.77.2:18515", "[fd77::2]:18515"
};

// A connected stream. Read and Write never block: 0 bytes means "not now" (after Read,
// closed() tells whether it means "never again").
class Connection {
 public:
  explicit Connection(
      Descriptor socket);  // sets TCP_NODELAY, O_NONBLOCK, FD_CLOEXEC; reads the addresses

  std::size_t Read(std::span<char> into);          // throws Error(kRun) on reset
  std::size_t Write(std::span<const char> bytes);  // throws Error(kRun) on reset
  bool closed() const { return closed_; }          // the peer has sent FIN and all was read
  void FinishWriting();                            // sends FIN; what comes in can still be read

  int fd() const { return socket_.get(); }
  const SocketAddress& local() const { return local_; }
  const SocketAddress& peer() const { return peer_; }

  // The descriptor without FD_CLOEXEC, to hand it to a child; the connection is empty then.
  Descriptor Release();

 private:
  friend class Listener;
  Connection(Descriptor socket, SocketAddress peer);

  Descriptor socket_;
  SocketAddress local_;
  SocketAddress peer_;
  bool closed_ = false;
};

struct DialOptions {
  std::string host;
  std::uint16_t port = 18515;
  std::chrono::milliseconds timeout{10000};
  const Interrupt* interrupt = nullptr;
  std::string source_ip = {};  // local address to bind; empty: the routing table's choice
};

// Connects, trying every address of the host and again until the timeout while nobody listens, so
// that either side may start first. Throws Error(kRun): the host does not resolve (at once), nobody
// listens, no route.
Connection Dial(const DialOptions& options);

// Listening sockets for one port: on every given address (each for its own family only), or
// dual-stack on all when none is given.
class Listener {
 public:
  // Port 0 lets the system choose. Throws Error(kEnvironment) when the port is taken or the address
  // not ours.
  Listener(std::span<const std::string> addresses, std::uint16_t port);

  std::span<const int> fds() const { return fds_; }
  std::uint16_t port() const { return port_; }
  // True when only this machine itself reaches it.
  bool IsOnlyLoopback() const;
  // Null when no connection is waiting on `fd`. Throws Error(kEnvironment) when this process or the
  // system has no descriptor or memory left for it; the connection then goes on waiting.
  std::optional<Connection> Accept(int fd) const;

 private:
  std::vector<Descriptor> sockets_;
  std::vector<int> fds_;
  std::uint16_t port_ = 0;
};

// One datagram to a Unix socket: a path, or '@' and an abstract name. Throws Error(kEnvironment)
// when nobody has that address, or takes nothing until `deadline`.
void SendDatagram(const std::string& address, std::string_view text, Deadline deadline);

// The largest packet on the way between two IP addresses, as the kernel knows it: of the route, the
// interface, and what was found out about the path. Absent: there is no way.
std::optional<std::uint32_t> RouteMtu(const std::string& from_ip, const std::string& to_ip);

}  // namespace rdmabench
