#include "report/text_memory.h"

#include "report/printable.h"
#include "report/text_phrase.h"
#include "report/text_quantity.h"

namespace rdmabench::report {
namespace {

constexpr std::string_view kUsualKind = "host";

std::string SideText(const Memory& memory) {
  std::string text = Printable(memory.kind);
  if (memory.page_bytes) text += " in pages of " + Size(*memory.page_bytes);
  if (!memory.registration.empty()) text += ", registered " + Printable(memory.registration);
  return text;
}

// Empty where it is as usual.
std::string KindsText(const Memories& memories) {
  const auto is_usual = [](const std::optional<Memory>& memory) {
    return !memory || memory->kind == kUsualKind;
  };
  if (is_usual(memories.client) && is_usual(memories.server)) return {};
  const std::string client = memories.client ? SideText(*memories.client) : "not known";
  const std::string server = memories.server ? SideText(*memories.server) : "not known";
  if (client == server) return client + "; ";
  return "client: " + client + "; server: " + server + "; ";
}

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
  return KindsText(first.memory) + "working set " + working_set + AccessText(first) +
         ", relaxed ordering " + (first.effective.relaxed_ordering ? "on" : "off");
}

}  // namespace rdmabench::report
