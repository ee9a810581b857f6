// Compares messages with what was sent, and keeps the account of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bench/pattern.h"
#include "report/report.h"

namespace rdmabench {

// Where a message belongs.
struct MessageId {
  std::uint32_t queue_pair = 0;
  std::uint64_t message = 0;
  std::uint64_t content = 0;  // the message of the pattern that it has to be
};

class Audit {
 public:
  // A message that has arrived. False: it is bad.
  bool Check(const Pattern& pattern, const MessageId& id, std::span<const std::byte> found);
  // The same where some of it, or all, may be missing. False: it is.
  bool CheckWithGaps(const Pattern& pattern, const MessageId& id, std::span<const std::byte> found);
  // A word that an atomic operation has returned, or left behind.
  void CheckWord(const MessageId& id, std::uint64_t expected, std::uint64_t found);
  // A completion says that fewer or more bytes have come than were sent.
  void WrongLength(const MessageId& id, std::uint64_t expected, std::uint64_t found);
  // Of those that are missing so many were told of, one of them `id`: they are bad.
  void Missing(const MessageId& id, std::uint64_t messages);

  void Add(const Audit& other) { account_ += other.account_; }
  const report::Verification& account() const { return account_; }

 private:
  [[gnu::cold]] void Blame(const Pattern& pattern, const MessageId& id,
                           std::span<const std::byte> found, std::size_t offset);
  [[gnu::cold]] void Note(report::BadMessage bad);

  report::Verification account_;
};

}  // namespace rdmabench
