// The machine as a tree of lines, for a person who wants to know why the threads are where they
// are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transport/placement.h"

struct hwloc_bitmap_s;
struct hwloc_obj;
struct hwloc_topology;

namespace rdmabench {

struct TreeMarks {
  const hwloc_obj* device = nullptr;  // may be null: the topology does not know it
  std::string_view device_name;
  const CoreMap& map;
  const Placement& placement;
};

std::vector<unsigned> CpusOf(const hwloc_bitmap_s* set);
std::string RenderTree(hwloc_topology* topology, const TreeMarks& marks);

}  // namespace rdmabench
