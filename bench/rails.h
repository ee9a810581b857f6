// The devices that a side measures with: one, or several at once.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/agreement.h"
#include "bench/local.h"
#include "bench/pairing.h"
#include "transport/device.h"

namespace rdmabench {

// A device that is opened, and the port of it that is used.
struct OpenPort {
  Device device;
  PortInfo port;
  std::optional<PairedBy> why = {};  // of a server's: why it is this one
};

// Those that `local` names, each once; without a name the one that belongs to the session's
// address. Throws Error(kEnvironment), or kUsage for a port that is named twice.
std::vector<OpenPort> OpenRails(const Local& local, std::string_view session_ip);

// What a client asks of its server's devices.
struct RailRequest {
  std::span<const Offer> client;         // of its own, in order
  std::span<const std::string> devices;  // as --remote-device names them; none: the server chooses
  std::string_view client_ip;            // of the session
  std::string_view server_ip;
};

// One for each of the client's. Throws Error(kEnvironment), or kRun naming both lists where they do
// not go together.
std::vector<OpenPort> OpenRailsFor(const RailRequest& request, const Local& local);

// That it is a device, with a port behind a colon or without. Throws Error(kUsage).
void CheckDeviceName(std::string_view name);
// The devices that the user named, as far as can be told before any is opened. Throws
// Error(kUsage).
void CheckDeviceNames(const Local& local);
// The same of both sides' lists together, and of tests that do not go with several.
void CheckDeviceLists(const Plan& plan, const Local& local);

// The same with what this machine has, without opening a device: that each is there, and is named
// once, as far as can be told so. Throws Error(kEnvironment), or kUsage.
void RequireDevices(const Local& local);

// That a server may look for what a client's --remote-device names, none or some. Throws
// Error(kRun) where it was started with a list of its own, and as CheckDeviceName() does.
void CheckRemoteDevices(std::span<const std::string> remote, const Local& server);

// Whether "all" stands for a list of devices.
bool IsAll(std::span<const std::string> devices);
// Throws Error(kUsage): `option` has the device, and its port as far as it is known, twice.
[[noreturn]] void RefuseTwice(std::string_view option, std::span<const std::string> names,
                              const std::string& device, std::optional<int> port = {});
// "mlx5_0,mlx5_1", as the options have it.
std::string ListText(std::span<const std::string> devices);
// "mlx4_0:2" without its port, and the port, absent where it has none. PortIn() throws
// Error(kUsage) for one that is no number.
std::string_view DeviceIn(std::string_view name);
std::optional<int> PortIn(std::string_view name);

}  // namespace rdmabench
