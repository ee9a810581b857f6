// Sets of cpus as the kernel and taskset write them: "2,4-6".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rdmabench {

// The highest number that a list may have; no kernel has more.
inline constexpr unsigned kMostCpu = 65535;

// In the order in which they are listed, each once; absent when `text` is no such list, or has one
// of them twice.
std::optional<std::vector<unsigned>> ParseCpuList(std::string_view text);

// What is wrong with such a text, as the end of a sentence: "it has 2 twice"; empty where it is a
// list.
std::string WhyNoCpuList(std::string_view text);

// Sorted, each once, runs of three and more as ranges: "0, 1, 4-6".
std::string CpuListText(std::vector<unsigned> cpus, std::string_view separator = ",");

}  // namespace rdmabench
