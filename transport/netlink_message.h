// Answers of the kernel over netlink, for tests of what reads them.
#pragma once

#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rdmabench {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes BytesOf(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

// Each part begins where netlink aligns it.
inline void Append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
  bytes.resize(NLMSG_ALIGN(bytes.size()));
}

inline Bytes Attribute(int type, const Bytes& body) {
  Bytes bytes = BytesOf(rtattr{.rta_len = static_cast<unsigned short>(sizeof(rtattr) + body.size()),
                               .rta_type = static_cast<unsigned short>(type)});
  Append(bytes, body);
  return bytes;
}

inline Bytes Message(std::uint16_t type, const Bytes& body) {
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(sizeof header + body.size());
  header.nlmsg_type = type;
  Bytes bytes = BytesOf(header);
  Append(bytes, body);
  return bytes;
}

}  // namespace rdmabench
