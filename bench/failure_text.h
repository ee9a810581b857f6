// Says in words what ended an engine, and what to check.
#pragma once

#include "bench/drive.h"
#include "transport/error.h"

namespace rdmabench {

Error DescribeFailure(const Failure& failure);

}  // namespace rdmabench
