#include "transport/qp_type.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "transport/error.h"
#include "transport/joined.h"
#include "transport/nearest.h"

namespace rdmabench {
namespace {

void AddressByConnection(ibv_send_wr&, const Target&) {}

void AddressByHandle(ibv_send_wr& wr, const Target& target) {
  wr.wr.ud.ah = target.ah;
  wr.wr.ud.remote_qpn = target.qpn;
  wr.wr.ud.remote_qkey = target.qkey;
}

constexpr int kInitConnected = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
constexpr int kInitDatagram = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
constexpr int kRtrUnreliable =
    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
constexpr int kRtrReliable = kRtrUnreliable | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
constexpr int kRtsUnreliable = IBV_QP_STATE | IBV_QP_SQ_PSN;
constexpr int kRtsReliable =
    kRtsUnreliable | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
constexpr std::uint32_t kGrhBytes = 40;

constexpr QpType kQpTypes[] = {
    {"rc", IBV_QPT_RC, kInitConnected, kRtrReliable, kRtsReliable, 0, AddressByConnection, false,
     true, &OdpCaps::rc_odp_caps},
    {"uc", IBV_QPT_UC, kInitConnected, kRtrUnreliable, kRtsUnreliable, 0, AddressByConnection, true,
     false, &OdpCaps::uc_odp_caps},
    {"ud", IBV_QPT_UD, kInitDatagram, IBV_QP_STATE, kRtsUnreliable, kGrhBytes, AddressByHandle,
     true, true, &OdpCaps::ud_odp_caps},
};

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace

std::span<const QpType> QpTypes() { return kQpTypes; }

const QpType& FindQpType(std::string_view name) {
  std::vector<std::string_view> known;
  for (const QpType& type : kQpTypes) {
    if (EqualIgnoringCase(type.name, name)) return type;
    known.push_back(type.name);
  }
  throw Error(Blame::kUsage,
              "unknown queue pair type \"" + std::string(name) + "\"; known: " + Joined(known) +
                  DidYouMean(name, known),
              "give one of these, such as --connection rc");
}

}  // namespace rdmabench
