// The part of a crew that chooses the memory of its endpoints.
#include <algorithm>
#include <string>
#include <vector>

#include "bench/crew.h"
#include "transport/error.h"
#include "transport/memory.h"

namespace rdmabench {

const MemoryKind& Crew::memory_kind() const {
  const MemoryOptions& memory = setting_.plan.memory;
  return FindMemoryKind(setting_.role == Role::kClient ? memory.kind : memory.server_kind());
}

std::optional<std::uint32_t> Crew::most_inline() const {
  return memory_kind().inline_ok ? setting_.plan.queue.inline_bytes : 0;
}

// Which one of a kind is each side's own affair.
std::string Crew::MemoryArgument() const {
  const MemoryKind& kind = memory_kind();
  const std::string name(kind.name);
  const auto found = setting_.site.memory_arguments.find(name);
  if (found != setting_.site.memory_arguments.end()) return found->second;
  if (kind.argument != Argument::kRequired) return {};
  if (setting_.role == Role::kClient) {
    throw Error(Blame::kUsage, "--memory " + name + " does not say which file",
                "give --memory " + name + "=FILE");
  }
  throw Error(Blame::kEnvironment, "the server was not told which file is its " + name + " memory",
              "start it with --memory " + name + "=FILE, or use --remote-memory host");
}

void Crew::ChooseMemory(std::uint32_t index, EndpointOptions& options) const {
  const QueueOptions& queue = setting_.plan.queue;
  const auto bytes_of = [&](std::uint32_t worker) {
    return BytesOf(setting_.agreement, setting_.plan, setting_.role, worker);
  };
  options.memory_kind = &memory_kind();
  options.memory_argument = MemoryArgument();
  options.odp_requests = OdpRequests(test_, queue, setting_.role);
  options.memory_others = queue.threads - 1;
  // The first worker has as many queue pairs as any.
  const std::uint64_t most = bytes_of(0).Sum();
  options.memory_file_offset =
      (most + kFileAlignment - 1) / kFileAlignment * kFileAlignment * index;
  options.mr_per_qp = setting_.plan.memory.mr_per_qp;
  options.own_bytes = bytes_of(index).own;
  options.exposed_bytes = bytes_of(index).exposed;
}

// Workers of several devices may each have had to take another way.
report::Memory Crew::DescribeMemory() const {
  report::Memory memory{.kind = std::string(memory_kind().name)};
  std::vector<std::string> ways;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    const MemoryRegion& region = worker->endpoint().memory();
    if (region.page_bytes() != 0) memory.page_bytes = region.page_bytes();
    if (std::find(ways.begin(), ways.end(), region.how()) != ways.end()) continue;
    ways.push_back(region.how());
    memory.registration += (memory.registration.empty() ? "" : ", and ") + region.how();
  }
  return memory;
}

}  // namespace rdmabench
