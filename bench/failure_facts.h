// What stands beside a failure of the fabric: the way between the two ends as it is at that moment,
// what it lets through, and which counters have moved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/agreement.h"
#include "bench/duty.h"
#include "bench/plan.h"
#include "bench/site.h"
#include "report/report.h"
#include "transport/error.h"

namespace rdmabench {

// Of one device of this side.
struct PathFacts {
  std::string device;
  std::string driver;
  std::string netdev;  // empty: none is known
  std::optional<Gid> own_gid;
  std::optional<Gid> peer_gid;
  std::uint32_t mtu_bytes = 0;         // of the queue pairs
  std::uint32_t active_mtu_bytes = 0;  // of the port
  std::optional<std::uint32_t> netdev_mtu_bytes;
  std::optional<std::uint32_t> route_mtu_bytes;  // to the peer's GID, as the kernel knows it
  report::CounterDeltas moved = {};
};

// The machine is asked anew: what was true when the run began may be what has changed.
PathFacts ReadPathFacts(const Rail& rail, const Path& path, Role role);

// "from GID 1 ::ffff:10.0.0.2 (roce_v2) of rxe0 to GID 1 ::ffff:10.0.0.1 (roce_v2), MTU 1024 (the
// port 1024, eth1 1500, the route 1500)".
std::string PathText(const PathFacts& facts);
// "depth 128, receive depth 512, --qp-timeout 14, --retry-count 7".
std::string QueueText(const TestPlan& test, const Agreement& agreement);
// "rxe0 counted 12 send_err (packets that could not be sent), 40 sent_pkts, 0 rcvd_pkts"; empty
// where nothing counts.
std::string CountersText(const PathFacts& facts);
// "an MTU of 4096 makes packets of 4140 bytes, and eth1 carries 1500"; empty where it fits, or
// nobody knows.
std::string MtuRemark(const PathFacts& facts);

// The error with all of that where its row of the catalogue asks for it.
Error WithFacts(Error error, const std::vector<PathFacts>& paths, const TestPlan& test,
                const Agreement& agreement);

}  // namespace rdmabench
