// Inside of fake_verbs: messages whose bytes do not arrive as they were sent, while everything else
// is as ever.
#pragma once

#include <infiniband/verbs.h>

#include "transport/fake_verbs_objects.h"

namespace rdmabench::fake {

// Posts `wr` by `post`, with the damage that is due to it. With send_mutex held.
int PostDamaged(FakeQp& qp, const ibv_send_wr& wr, int (*post)(FakeQp&, const ibv_send_wr&));

}  // namespace rdmabench::fake
