#include "report/text_memory.h"

#include "report/printable.h"
#include "report/text_phrase.h"
#include "report/text_quantity.h"

namespace rdmabench::report {
namespace {

constexpr std::string_view kUsualKind = "host";

constexpr std::string_view kUsualWay = "by its virtual address";

std::string SideText(const std::optional<Memory>& memory) {
  if (!memory) return "not known";
  std::string text = Printable(memory->kind);
  if (memory->page_bytes) text += ", pages of " + Size(*memory->page_bytes);
  if (memory->registration.empty() || memory->registration == kUsualWay) return text;
  return text + ", registered " + Printable(memory->registration);
}

bool IsUsual(const std::optional<Memory>& memory) { return !memory || memory->kind == kUsualKind; }

// Empty where it is as usual.
std::string AccessText(const Result& result) {
  const std::string& access = result.effective.access;
  if (access == "random") return " at random";
  // A latency test with one message under way has one slot.
  if (access == "same" && result.metric == "bw") return " in one slot a queue pair";
  return {};
}

}  // namespace

std::string MemoryText(std::span<const Result* const> results) {
  const Result& first = *results.front();
  const std::string working_set = Across(
      results, [](const Effective& e) { return e.working_set_bytes; }, Size);
  return "working set " + working_set + AccessText(first) + ", relaxed ordering " +
         (first.effective.relaxed_ordering ? "on" : "off") +
         (first.effective.mr_per_qp ? ", a region for each queue pair" : "");
}

std::string MemoryKindText(const Memories& memories) {
  if (IsUsual(memories.client) && IsUsual(memories.server)) return {};
  const std::string client = SideText(memories.client);
  const std::string server = SideText(memories.server);
  return client == server ? client : "client " + client + "; server " + server;
}

}  // namespace rdmabench::report
