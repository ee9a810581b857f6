// What one side uses for all tests of a session: its devices and their ports, its place in the
// machine, its clock.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/agreement.h"
#include "bench/clock.h"
#include "bench/local.h"
#include "bench/pairing.h"
#include "bench/rails.h"
#include "report/report.h"
#include "transport/device.h"
#include "transport/locality.h"

namespace rdmabench {

// One device, and what is near it.
struct Rail {
  Device device;
  PortInfo port;
  Offer offer;
  Placement placement;
  std::optional<PairedBy> why;  // of a server's: why it is this one
};

// Of the cpus that the user named those where nothing runs, since there are fewer workers.
struct IdleCpus {
  std::vector<unsigned> cpus;
  std::string_view option;  // that names them
  std::size_t workers = 0;
};

struct Site {
  // Chooses processors for so many workers of each device. Throws Error(kEnvironment).
  Site(const Local& local, std::vector<OpenPort> ports, std::size_t workers);

  // That a worker of the side is of.
  const Rail& RailOf(std::size_t worker) const { return rails[worker % rails.size()]; }
  // Where the worker runs, when that was chosen.
  std::optional<unsigned> CpuOf(std::size_t worker) const;
  std::vector<Offer> Offers() const;

  Locality locality;
  std::vector<Rail> rails;  // normally one
  std::optional<unsigned> session_cpu;
  IdleCpus idle;
  TickClock clock;
  MemoryArguments memory_arguments;
};

// Throws Error(kEnvironment), or kUsage, when this machine cannot grant what `local` asks for: its
// devices, as far as can be told without opening any, its place, and its memory. Before there is a
// session.
void CheckLocal(const Local& local);

// Each device's GID that tests use, by the first that was agreed; one that is not known is absent.
using RailGids = std::vector<std::optional<Gid>>;
void TakeGids(const Agreement& agreement, std::optional<Gid> Path::*side, RailGids& gids);

// This side for the report.
report::Host DescribeSite(const Site& site, std::string_view role, const RailGids& gids);
report::Gid DescribeGid(const Gid& gid);
report::Placement DescribePlacement(const Placement& placement,
                                    std::optional<unsigned> session_cpu);

}  // namespace rdmabench
