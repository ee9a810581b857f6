// Devices as tests of the listing's formats have them: what a machine with two adapters and a
// software device would tell.
#pragma once

#include "cmd/device_listing.h"

namespace rdmabench {

DeviceListing SampleDevices();

}  // namespace rdmabench
