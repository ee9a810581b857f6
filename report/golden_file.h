// Files of the tree that hold what is rendered, for tests.
#pragma once

#include <string>

namespace rdmabench {

// Expects `rendered` to be the content of the file, whose path is from the workspace. With
// RDMABENCH_UPDATE_GOLDEN set to the source directory, the file is rewritten instead.
void ExpectGolden(const std::string& rendered, const std::string& path);

}  // namespace rdmabench
