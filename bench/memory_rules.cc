#include "bench/memory_rules.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <string_view>

#include "bench/duty.h"
#include "bench/open_loop.h"
#include "bench/slots.h"
#include "bench/test.h"
#include "transport/memory.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

[[noreturn]] void Refuse(const std::string& message, const std::string& remedy) {
  throw Error(Blame::kUsage, message, remedy);
}

bool PollsMemory(const TestPlan& test) {
  const Test& row = FindTest(test.test);
  return row.metric == Metric::kLatency && row.op->reply == Reply::kMemory;
}

// What the CPU has to do in message memory.
struct Touch {
  bool (*needed)(const TestPlan&);
  std::string_view what;  // the option, or empty: the test
  std::string_view why;
};

constexpr Touch kTouches[] = {
    {[](const TestPlan& t) { return t.run.verify; }, "--verify",
     "the processor looks at every message"},
    {PollsMemory, "", "it polls the memory"},
    {NamesSlots, "a rate", "its messages are told apart by what the processor writes into them"},
};

// Requests of `role` have their payload in its memory.
bool Posts(const TestPlan& test, Role role) {
  return DutyOf(FindTest(test.test), test.queue, role).Posts();
}

// `option`: "--memory dm"; `posts`: one whose memory is of that kind.
void ValidateKind(const TestPlan& test, const MemoryKind& kind, const std::string& option,
                  bool posts) {
  if (posts && !kind.inline_ok && test.queue.inline_bytes.value_or(0) > 0) {
    Refuse("--inline-size does not go with " + option,
           "the processor cannot read that memory to put it into a request");
  }
  if (!kind.over_pcie && test.memory.relaxed_ordering.value_or(false)) {
    Refuse("--relaxed-ordering on does not go with " + option,
           "the device does not reach that memory over PCIe; leave it out");
  }
  if (kind.cpu_access) return;
  const auto* touch = std::find_if(std::begin(kTouches), std::end(kTouches),
                                   [&](const Touch& row) { return row.needed(test); });
  if (touch == std::end(kTouches)) return;
  const std::string what = touch->what.empty() ? test.test : std::string(touch->what);
  Refuse(option + " does not go with " + what,
         std::string(touch->why) + ", and cannot reach that kind; use --memory host");
}

void ValidateAccess(const TestPlan& test) {
  const MemoryOptions& memory = test.memory;
  if (memory.access && !IsAccess(*memory.access)) {
    Refuse("--access '" + *memory.access + "' is not known", "known are " + AccessNames());
  }
  if (!HasAccess(memory)) return;
  const std::string option = memory.working_set_bytes ? "--working-set" : "--access";
  if (memory.access == kSame && memory.working_set_bytes) {
    Refuse("--working-set does not go with --access same",
           "a queue pair has one slot then; leave one of them out");
  }
  if (test.run.verify) {
    Refuse(
        "--verify does not go with " + option,
        "it decides itself which message lies where, and its rate is not the fabric's; leave one "
        "of them out");
  }
  if (PollsMemory(test)) {
    Refuse(option + " does not go with " + test.test, "it polls one place; use a bandwidth test");
  }
  if (IsOpenLoop(test)) {
    Refuse(option + " does not go with a rate in a latency test",
           "messages under way have slots of their own there; leave one of them out");
  }
}

void ValidatePlace(const TestPlan& test) {
  const MemoryOptions& memory = test.memory;
  const std::uint32_t align = memory.align_bytes.value_or(SlotRules().align);
  if (!std::has_single_bit(align)) {
    Refuse("--align " + std::to_string(align) + " is no power of two", "give one such as 4096");
  }
  constexpr std::uint32_t kWord = 8;
  if (!FindTest(test.test).op->IsAtomic()) return;
  if (align % kWord != 0) {
    Refuse("--align " + std::to_string(align) + " does not go with " + test.test,
           "the word it works on has to be aligned: give 8 or more");
  }
  if (memory.offset_bytes % kWord != 0) {
    Refuse("--offset " + std::to_string(memory.offset_bytes) + " does not go with " + test.test,
           "the word it works on has to be aligned: give a multiple of 8");
  }
}

}  // namespace

void ValidateMemory(const TestPlan& test) {
  const MemoryOptions& memory = test.memory;
  const bool client_posts = Posts(test, Role::kClient);
  const bool server_posts = Posts(test, Role::kServer);
  ValidateKind(test, FindMemoryKind(memory.kind), "--memory " + memory.kind,
               client_posts || (server_posts && !memory.remote_kind));
  if (memory.remote_kind) {
    ValidateKind(test, FindMemoryKind(*memory.remote_kind),
                 "--remote-memory " + *memory.remote_kind, server_posts);
  }
  ValidateAccess(test);
  ValidatePlace(test);
  if (memory.mr_per_qp && test.queue.use_srq) {
    Refuse("--mr-per-qp does not go with --use-srq",
           "requests of a shared queue belong to no queue pair; leave one of them out");
  }
}

}  // namespace rdmabench
