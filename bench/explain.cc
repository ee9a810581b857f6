#include "bench/explain.h"

namespace rdmabench {

std::string Explain(const Site& site, const report::Host& server) {
  std::string text = "client's placement:\n";
  for (const std::string& reason : site.placement.reasons) text += "  " + reason + "\n";
  text += site.locality.Tree(PositionOf(site.device.info()), site.placement);
  if (server.placement) {
    text += "server's placement (" + server.name + "):\n  " + server.placement->reason + "\n";
  }
  return text;
}

}  // namespace rdmabench
