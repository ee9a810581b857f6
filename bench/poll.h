// Polling of completion queues: a batch of each, and an end at the first failure.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/drive.h"

namespace rdmabench {

// What a poll has found, at most; the first one stays for who wants to know its opcode.
using CompletionBatch = std::array<ibv_wc, 16>;

// Calls `take` with each completion. False: a poll or a completion has failed, as `failure` says,
// or take() was false.
template <class Channel, class Take>
[[gnu::always_inline]] inline bool PollEach(const std::vector<ibv_cq*>& cqs, CompletionBatch& batch,
                                            Failure& failure, const Take& take) {
  for (ibv_cq* cq : cqs) {
    const int count = Channel::Poll(cq, batch.data(), static_cast<int>(batch.size()));
    if (count < 0) [[unlikely]] {
      failure = {.what = Failure::What::kPoll, .code = count};
      return false;
    }
    for (const ibv_wc& completion : std::span(batch).first(static_cast<std::size_t>(count))) {
      if (completion.status != IBV_WC_SUCCESS) [[unlikely]] {
        failure = FailureOf(completion);
        return false;
      }
      if (!take(completion)) return false;
    }
  }
  return true;
}

}  // namespace rdmabench
