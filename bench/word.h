// Words of 8 bytes in memory, little-endian and at any address.
#pragma once

#include <endian.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rdmabench {

inline std::uint64_t LoadWord(const std::byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return le64toh(word);
}

inline void StoreWord(std::byte* to, std::uint64_t word) {
  word = htole64(word);
  std::memcpy(to, &word, sizeof word);
}

}  // namespace rdmabench
