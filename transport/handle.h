// Owning pointers to verbs objects. Each is the size of one pointer.
#pragma once

#include <infiniband/verbs.h>

#include <memory>

namespace rdmabench {

template <auto Destroy>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const noexcept {
    Destroy(pointer);
  }
};

using DeviceList = std::unique_ptr<ibv_device*[], Deleter<ibv_free_device_list>>;
using Context = std::unique_ptr<ibv_context, Deleter<ibv_close_device>>;
using Pd = std::unique_ptr<ibv_pd, Deleter<ibv_dealloc_pd>>;
using Mr = std::unique_ptr<ibv_mr, Deleter<ibv_dereg_mr>>;
using Cq = std::unique_ptr<ibv_cq, Deleter<ibv_destroy_cq>>;
using Qp = std::unique_ptr<ibv_qp, Deleter<ibv_destroy_qp>>;
using Srq = std::unique_ptr<ibv_srq, Deleter<ibv_destroy_srq>>;
using CompletionChannel = std::unique_ptr<ibv_comp_channel, Deleter<ibv_destroy_comp_channel>>;
using Ah = std::unique_ptr<ibv_ah, Deleter<ibv_destroy_ah>>;

}  // namespace rdmabench
