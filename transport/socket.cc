#include "transport/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "transport/catalogue.h"
#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/resolve.h"
#include "transport/socket_rows.h"

namespace rdmabench {
namespace {

constexpr std::chrono::milliseconds kBetweenRounds{100};
// As many as Linux has by default: what a flood of connections leaves no room for is lost, and
// tries again only a second later.
constexpr int kBacklog = 4096;

bool MeansNotNow(int code) { return code == EAGAIN || code == EWOULDBLOCK || code == EINTR; }

SocketAddress AddressOf(const sockaddr_storage& storage, socklen_t length) {
  std::array<char, NI_MAXHOST> ip = {};
  std::array<char, NI_MAXSERV> port = {};
  const int code =
      getnameinfo(reinterpret_cast<const sockaddr*>(&storage), length, ip.data(), ip.size(),
                  port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  if (code != 0) return {"an unknown address", 0};
  // A dual-stack socket shows IPv4 peers as mapped ones.
  constexpr std::string_view kMapped = "::ffff:";
  std::string_view text = ip.data();
  const bool mapped = text.starts_with(kMapped) && text.find('.') != std::string_view::npos;
  if (mapped) text.remove_prefix(kMapped.size());
  return {std::string(text), static_cast<std::uint16_t>(std::stoul(port.data()))};
}

SocketAddress PeerOf(int fd) {
  sockaddr_storage storage = {};
  socklen_t length = sizeof(storage);
  const int result = getpeername(fd, reinterpret_cast<sockaddr*>(&storage), &length);
  if (result != 0) throw SessionError("reset", WithReason("the connection is gone", errno));
  return AddressOf(storage, length);
}

SocketAddress LocalOf(int fd) {
  sockaddr_storage storage = {};
  socklen_t length = sizeof(storage);
  CheckErrno(getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &length),
             "cannot read a socket's own address");
  return AddressOf(storage, length);
}

void SetOption(int fd, int level, int name, int value) {
  CheckErrno(setsockopt(fd, level, name, &value, sizeof(value)), "cannot set a socket's options");
}

[[noreturn]] void ThrowBroken(const SocketAddress& peer, int code) {
  // A pipe is broken of which the peer had closed its end before.
  throw SessionError(code == EPIPE ? "closed" : "reset",
                     WithReason("the connection to " + peer.ToString() + " broke", code));
}

// Whether connect() has said EADDRNOTAVAIL since this host has no address to come from, as where
// IPv6 is switched off; it says so as well where no local port is left.
bool LacksSource(const addrinfo& address) {
  // Nothing is sent: a datagram socket that is connected only has its route.
  const Descriptor socket(::socket(address.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const int result = connect(socket.get(), address.ai_addr, address.ai_addrlen);
  return result < 0 && errno == EADDRNOTAVAIL;
}

// Dial()'s work: rounds over the addresses until one answers.
class Dialer {
 public:
  explicit Dialer(const DialOptions& options)
      : options_(options),
        source_(options.source_ip.empty() ? nullptr : ParseAddress(options.source_ip, 0)),
        deadline_(In(options.timeout)) {}

  Connection Run() {
    const AddressList list = Resolve(options_.host, options_.port, deadline_, options_.interrupt);
    const std::vector<const addrinfo*> usable = Usable(list.get());
    while (true) {
      if (std::optional<Connection> connection = Round(usable)) return std::move(*connection);
      if (Now() >= deadline_) ThrowUnreached();
      WaitFor(-1, std::min(deadline_, In(kBetweenRounds)));
    }
  }

 private:
  std::string Where() const { return SocketAddress{options_.host, options_.port}.ToString(); }

  // Those of the source's family.
  std::vector<const addrinfo*> Usable(const addrinfo* first) const {
    std::vector<const addrinfo*> usable;
    for (const addrinfo* address = first; address != nullptr; address = address->ai_next) {
      const bool fits = source_ == nullptr || source_->ai_family == address->ai_family;
      if (fits) usable.push_back(address);
    }
    if (!usable.empty()) return usable;
    const std::string what = "there is no way to " + Where() + " from " + options_.source_ip;
    throw SessionError("no_way", WithReason(what, EAFNOSUPPORT));
  }

  std::optional<Connection> Round(const std::vector<const addrinfo*>& addresses) {
    auto left = static_cast<int>(addresses.size());
    for (const addrinfo* address : addresses) {
      // An address that swallows packets must not use up the time of those after it.
      const Deadline until = Now() + (deadline_ - Now()) / left--;
      Descriptor socket(
          ::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      const int code = socket.get() < 0 ? errno : Connect(socket, *address, until);
      // What an address answered says more than that the last attempt ran out of time.
      if (code != ETIMEDOUT || last_code_ == 0) last_code_ = code;
      if (code != 0) continue;
      Connection connection(std::move(socket));
      // Dialling a local port of the ephemeral range can meet oneself (TCP's simultaneous open).
      if (connection.local().ToString() != connection.peer().ToString()) return connection;
      last_code_ = ECONNREFUSED;
    }
    return std::nullopt;
  }

  void BindSource(const Descriptor& socket) const {
    if (source_ == nullptr) return;
    if (bind(socket.get(), source_->ai_addr, source_->ai_addrlen) == 0) return;
    const int code = errno;
    throw SessionError(RowOfSource(code),
                       WithReason("cannot connect from " + options_.source_ip, code));
  }

  // 0, or the errno value that says why not.
  int Connect(const Descriptor& socket, const addrinfo& address, Deadline until) const {
    BindSource(socket);
    if (connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0) return 0;
    const int started = errno;
    if (started == EADDRNOTAVAIL && LacksSource(address)) return ENETUNREACH;
    if (started != EINPROGRESS && started != EINTR) return started;
    if (!WaitFor(socket.get(), until)) return ETIMEDOUT;
    int code = 0;
    socklen_t length = sizeof(code);
    CheckErrno(getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &length),
               "cannot read a socket's state");
    return code;
  }

  // Until `socket` can be written (true) or the time is over; -1 only waits.
  bool WaitFor(int socket, Deadline until) const {
    const Interrupt* interrupt = options_.interrupt;
    const std::array<int, 1> readable = {interrupt == nullptr ? -1 : interrupt->fd()};
    const std::array<int, 1> writable = {socket};
    const std::vector<bool> ready = WaitReady(readable, writable, until);
    if (ready[0]) throw Interruption();
    return ready[1];
  }

  [[noreturn]] void ThrowUnreached() const {
    const std::string_view row = RowOfDialing(last_code_);
    std::string what = row == "exhausted" ? "cannot connect to " : "there is no way to ";
    if (row == "nobody_listens") what = "nobody listens on ";
    const std::string tried = " (tried " + InSeconds(options_.timeout) + ")";
    throw SessionError(row, WithReason(what + Where() + tried, last_code_));
  }

  const DialOptions& options_;
  AddressList source_;  // null: the routing table's choice
  Deadline deadline_;
  int last_code_ = 0;
};

[[noreturn]] void ThrowNotListening(const std::string& where, std::uint16_t port, int code) {
  const std::string number = std::to_string(port);
  const std::string_view row = RowOfListening(code, port);
  Error error =
      SessionError(row, WithReason("cannot listen on " + where + ", port " + number, code));
  if (row == "port_taken") error.AdviseFirst("see who has it: ss -ltnp 'sport = :" + number + "'");
  throw error;
}

// A listening socket; an empty one when the system does not know the address's family.
Descriptor Listen(const addrinfo& address, bool both_families, const std::string& where,
                  std::uint16_t port) {
  Descriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0 && errno == EAFNOSUPPORT) return socket;
  if (socket.get() < 0) ThrowNotListening(where, port, errno);
  SetOption(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (address.ai_family == AF_INET6) {
    SetOption(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, both_families ? 0 : 1);
  }
  int result = bind(socket.get(), address.ai_addr, address.ai_addrlen);
  if (result == 0) result = listen(socket.get(), kBacklog);
  // With IPv6 switched off at run time the socket is made, but has nothing to be bound to.
  if (result < 0 && both_families && errno == EADDRNOTAVAIL) return Descriptor();
  if (result == 0) return socket;
  ThrowNotListening(where, port, errno);
}

}  // namespace

std::string SocketAddress::ToString() const {
  const bool brackets = ip.find(':') != std::string::npos;
  return (brackets ? "[" + ip + "]" : ip) + ":" + std::to_string(port);
}

Connection::Connection(Descriptor socket) : Connection(std::move(socket), SocketAddress{}) {
  peer_ = PeerOf(socket_.get());
}

Connection::Connection(Descriptor socket, SocketAddress peer)
    : socket_(std::move(socket)), local_(LocalOf(socket_.get())), peer_(std::move(peer)) {
  SetOption(fd(), IPPROTO_TCP, TCP_NODELAY, 1);
  CheckErrno(fcntl(fd(), F_SETFL, fcntl(fd(), F_GETFL) | O_NONBLOCK), "cannot set a socket's mode");
  CheckErrno(fcntl(fd(), F_SETFD, FD_CLOEXEC), "cannot set a socket's mode");
}

std::size_t Connection::Read(std::span<char> into) {
  if (into.empty() || closed_) return 0;
  const ssize_t count = recv(fd(), into.data(), into.size(), 0);
  if (count > 0) return static_cast<std::size_t>(count);
  if (count == 0) {
    closed_ = true;
  } else if (!MeansNotNow(errno)) {
    ThrowBroken(peer_, errno);
  }
  return 0;
}

std::size_t Connection::Write(std::span<const char> bytes) {
  const ssize_t count = send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (!MeansNotNow(errno)) ThrowBroken(peer_, errno);
  return 0;
}

void Connection::FinishWriting() { shutdown(fd(), SHUT_WR); }

Descriptor Connection::Release() {
  CheckErrno(fcntl(fd(), F_SETFD, 0), "cannot set a socket's mode");
  return std::move(socket_);
}

Connection Dial(const DialOptions& options) { return Dialer(options).Run(); }

Listener::Listener(std::span<const std::string> addresses, std::uint16_t port) : port_(port) {
  const std::array<std::string, 2> all = {"::", "0.0.0.0"};
  const bool everywhere = addresses.empty();
  for (const std::string& ip : everywhere ? std::span<const std::string>(all) : addresses) {
    const AddressList address = ParseAddress(ip, port_);
    const std::string where = everywhere ? "all addresses" : ip;
    Descriptor socket = Listen(*address, everywhere, where, port_);
    if (socket.get() < 0) continue;
    port_ = LocalOf(socket.get()).port;
    fds_.push_back(socket.get());
    sockets_.push_back(std::move(socket));
    if (everywhere) break;  // the IPv6 socket takes both families
  }
  if (fds_.empty()) {
    throw SessionError("foreign_address", "cannot listen: this host has no such address family");
  }
}

bool Listener::IsOnlyLoopback() const {
  return std::all_of(fds_.begin(), fds_.end(), [](int fd) {
    const std::string ip = LocalOf(fd).ip;
    return ip.starts_with("127.") || ip == "::1";
  });
}

std::optional<Connection> Listener::Accept(int fd) const {
  sockaddr_storage storage = {};
  socklen_t length = sizeof(storage);
  Descriptor socket(
      accept4(fd, reinterpret_cast<sockaddr*>(&storage), &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.get() >= 0) return Connection(std::move(socket), AddressOf(storage, length));
  // Other errors belong to a connection that broke before it was accepted.
  const int code = errno;
  if (MeansExhausted(code)) {
    throw SessionError("exhausted", WithReason("cannot accept a connection", code));
  }
  return std::nullopt;
}

void SendDatagram(const std::string& address, std::string_view text, Deadline deadline) {
  sockaddr_un name = {};
  const bool is_abstract = address.starts_with('@');
  const bool is_path = address.starts_with('/');
  if ((!is_abstract && !is_path) || address.size() < 2 || address.size() >= sizeof(name.sun_path)) {
    throw Error(Blame::kEnvironment, "'" + address + "' is no address of a Unix socket",
                "a path from the root, or @ and a name");
  }
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, address.data(), address.size());
  if (is_abstract) name.sun_path[0] = '\0';
  // The zero that ends a path is part of it; an abstract name is as long as it is.
  const auto length =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size() + (is_path ? 1 : 0));
  const std::string attempted = "cannot send to " + address;
  Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  CheckErrno(socket.get(), "cannot create a socket");
  // Connected, it can be waited for until the other side has room.
  CheckErrno(connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), length), attempted);
  while (send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL) < 0) {
    if (!MeansNotNow(errno)) ThrowErrno(errno, attempted, "");
    const std::array<int, 1> writable = {socket.get()};
    WaitReady({}, writable, deadline);
    if (Now() >= deadline) {
      throw Error(Blame::kEnvironment, attempted + ": whoever has it takes nothing");
    }
  }
}

std::optional<std::uint32_t> RouteMtu(const std::string& from_ip, const std::string& to_ip) {
  constexpr std::uint16_t kRoce = 4791;
  const AddressList from = ParseAddress(from_ip, 0);
  const AddressList to = ParseAddress(to_ip, kRoce);
  // Nothing is sent: a datagram socket that is connected only has its route.
  const Descriptor socket(::socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (from->ai_family != to->ai_family ||
      bind(socket.get(), from->ai_addr, from->ai_addrlen) != 0 ||
      connect(socket.get(), to->ai_addr, to->ai_addrlen) != 0) {
    return std::nullopt;
  }
  const bool is_ipv4 = to->ai_family == AF_INET;
  int bytes = 0;
  socklen_t length = sizeof bytes;
  const int result = getsockopt(socket.get(), is_ipv4 ? IPPROTO_IP : IPPROTO_IPV6,
                                is_ipv4 ? IP_MTU : IPV6_MTU, &bytes, &length);
  if (result != 0 || bytes <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(bytes);
}

}  // namespace rdmabench
