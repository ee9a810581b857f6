// The options that say where threads and memory go.
#pragma once

#include "bench/plan.h"
#include "transport/placement.h"

namespace CLI {
class App;
}

namespace rdmabench {

// Of the own side, which both a server and its clients have.
void AddPlacementOptions(CLI::App& app, PlacementChoice& choice);
// What a client asks of its server.
void AddRemotePlacementOptions(CLI::App& app, RemoteOptions& remote);

// Throws Error(kUsage) naming both where two options do not go together.
void CheckPlacementOptions(const PlacementChoice& choice);

}  // namespace rdmabench
