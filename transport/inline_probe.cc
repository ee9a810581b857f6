#include "transport/inline_probe.h"

#include "transport/handle.h"

namespace rdmabench {

std::uint32_t MostInline(ibv_pd* pd, const ibv_qp_init_attr& attributes, std::uint32_t refused) {
  std::uint32_t granted = 0;
  while (granted + 1 < refused) {
    ibv_qp_init_attr attempt = attributes;
    const std::uint32_t asked = granted + (refused - granted) / 2;
    attempt.cap.max_inline_data = asked;
    const Qp qp(ibv_create_qp(pd, &attempt));
    (qp != nullptr ? granted : refused) = asked;
  }
  return granted;
}

std::optional<std::uint32_t> ProbeInline(ibv_context* context) {
  constexpr std::uint32_t kMore = 4097;  // than any device is known to grant
  const Pd pd(ibv_alloc_pd(context));
  const Cq cq(pd == nullptr ? nullptr : ibv_create_cq(context, 1, nullptr, nullptr, 0));
  if (cq == nullptr) return std::nullopt;
  ibv_qp_init_attr attributes{};
  attributes.qp_type = IBV_QPT_RC;
  attributes.send_cq = attributes.recv_cq = cq.get();
  attributes.cap = {.max_send_wr = 1,
                    .max_recv_wr = 1,
                    .max_send_sge = 1,
                    .max_recv_sge = 1,
                    .max_inline_data = 0};
  ibv_qp_init_attr plain = attributes;
  if (const Qp qp(ibv_create_qp(pd.get(), &plain)); qp == nullptr) return std::nullopt;
  return MostInline(pd.get(), attributes, kMore);
}

}  // namespace rdmabench
