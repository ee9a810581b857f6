#include "bench/explain.h"

#include <cstddef>

namespace rdmabench {
namespace {

// Which of several devices it is.
std::string Of(const std::string& device, std::size_t devices) {
  return devices > 1 ? " for " + device : std::string();
}

}  // namespace

std::string Explain(const Site& site, const report::Host& server) {
  std::string text;
  for (const Rail& rail : site.rails) {
    text += "client's placement" + Of(rail.device.info().name, site.rails.size()) + ":\n";
    for (const std::string& reason : rail.placement.reasons) text += "  " + reason + "\n";
    text += site.locality.Tree(PositionOf(rail.device.info()), rail.placement);
  }
  for (const report::HostRail& rail : server.rails) {
    text += "server's placement" + Of(rail.device.name, server.rails.size()) + " (" + server.name +
            "):\n  " + rail.placement.reason + "\n";
  }
  if (!server.rails.empty()) return text;
  if (server.placement) {
    text += "server's placement (" + server.name + "):\n  " + server.placement->reason + "\n";
  }
  return text;
}

}  // namespace rdmabench
