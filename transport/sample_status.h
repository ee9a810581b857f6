// The status of a server that has something in every field, for tests.
#pragma once

#include "transport/server_status.h"

namespace rdmabench {

ServerStatus SampleStatus();

}  // namespace rdmabench
