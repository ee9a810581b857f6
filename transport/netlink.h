// Messages of the kernel's netlink, taken apart.
#pragma once

#include <linux/netlink.h>
#include <sys/time.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>

namespace rdmabench {

// The kernel answers while the request is sent; this is for one that does not.
inline constexpr timeval kNetlinkPatience{.tv_sec = 1, .tv_usec = 0};

// The next header of type T and what it says its length is, headers included; absent at the end of
// `rest`, or where the length is none. The kernel pads each to four bytes.
template <class T>
struct Piece {
  T header;
  std::span<const std::byte> body;
};

template <class T>
std::optional<Piece<T>> Next(std::span<const std::byte>& rest, auto T::*length) {
  Piece<T> piece{};
  if (rest.size() < sizeof(T)) return std::nullopt;
  std::memcpy(&piece.header, rest.data(), sizeof(T));
  const std::size_t whole = piece.header.*length;
  if (whole < sizeof(T) || whole > rest.size()) return std::nullopt;
  piece.body = rest.subspan(sizeof(T), whole - sizeof(T));
  rest = rest.subspan(std::min<std::size_t>(rest.size(), NLMSG_ALIGN(whole)));
  return piece;
}

template <class T>
std::optional<T> As(std::span<const std::byte> bytes) {
  T value{};
  if (bytes.size() < sizeof(T)) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

}  // namespace rdmabench
