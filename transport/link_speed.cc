#include "transport/link_speed.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace rdmabench {
namespace {

struct Lane {
  int active_speed;
  std::string_view name;
  double gbps;
  double data_gbps;  // 8b/10b up to QDR, else 64b/66b
};

constexpr Lane kLanes[] = {
    {1, "SDR", 2.5, 2.0},
    {2, "DDR", 5.0, 4.0},
    {4, "QDR", 10.0, 8.0},
    {8, "FDR10", 10.0, 10.0},
    {16, "FDR", 14.0, 14.0625 * 64 / 66},
    {32, "EDR", 25.0, 25.0},
    {64, "HDR", 50.0, 50.0},
    {128, "NDR", 100.0, 100.0},
    {256, "XDR", 200.0, 200.0},
};
constexpr int kNdr = 128;

struct Width {
  int active_width;  // IBTA PortInfo.LinkWidthActive
  unsigned lanes;
};

constexpr Width kWidths[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};

const Lane* FindLane(int active_speed, std::string_view rate) {
  const Lane* found = nullptr;
  for (const Lane& lane : kLanes) {
    const bool is_beyond_the_verbs = active_speed == kNdr && lane.active_speed > kNdr;
    if (lane.active_speed == active_speed ||
        (is_beyond_the_verbs && rate.ends_with("X " + std::string(lane.name) + ")"))) {
      found = &lane;
    }
  }
  return found;
}

}  // namespace

std::optional<LinkSpeed> FindLinkSpeed(int active_speed, int active_width, std::string_view rate) {
  const Lane* lane = FindLane(active_speed, rate);
  const auto* width = std::find_if(std::begin(kWidths), std::end(kWidths), [&](const Width& row) {
    return row.active_width == active_width;
  });
  if (lane == nullptr || width == std::end(kWidths)) return std::nullopt;
  return LinkSpeed{.lane = lane->name,
                   .lanes = width->lanes,
                   .gbps = lane->gbps * width->lanes,
                   .data_gbps = lane->data_gbps * width->lanes};
}

}  // namespace rdmabench
