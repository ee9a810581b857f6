// The options that name devices, of this side and of the server.
#pragma once

#include <string>
#include <vector>

#include "bench/local.h"
#include "bench/plan.h"

namespace CLI {
class App;
}

namespace rdmabench {

// "mlx5_0,mlx5_1", or "all" alone. Throws Error(kUsage) naming the option.
std::vector<std::string> ParseDevices(const std::string& option, const std::string& text);

// Of the own side. `several`: what is done with them where more than one is named, and with none.
void AddDeviceOptions(CLI::App& app, Local& local, const std::string& several);
// What a client asks of its server; `which` tells in what order, and what none means.
void AddRemoteDevice(CLI::App& app, RemoteOptions& remote, const std::string& which);

}  // namespace rdmabench
