// How requests are posted and completions polled: a type, so that another way is another type and
// no branch.
#pragma once

#include <infiniband/verbs.h>

namespace rdmabench {

// Post lists and ibv_poll_cq.
struct VerbsChannel {
  static int Post(ibv_qp* qp, ibv_send_wr* chain) {
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(qp, chain, &bad);
  }
  static int Poll(ibv_cq* cq, ibv_wc* completions, int most) {
    return ibv_poll_cq(cq, most, completions);
  }
};

}  // namespace rdmabench
