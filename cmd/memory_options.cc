#include "cmd/memory_options.h"

#include <string>

#include "bench/plan.h"
#include "bench/slots.h"
#include "cmd/option_group.h"
#include "cmd/quantity.h"
#include "transport/error.h"
#include "transport/joined.h"
#include "transport/memory.h"

namespace rdmabench {
namespace {

struct Choice {
  const MemoryKind& kind;
  std::string argument;  // may be empty
};

Choice ParseChoice(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  const MemoryKind& kind = FindMemoryKind(text.substr(0, equals));
  const std::string argument = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (kind.argument == Argument::kNone && equals != std::string::npos) {
    throw Error(Blame::kUsage, option + " " + text + " says which, and there is one only",
                "give " + option + " " + std::string(kind.name));
  }
  if (kind.check_form != nullptr && !argument.empty()) kind.check_form(argument);
  return {kind, argument};
}

std::string KindNames() {
  return Joined(MemoryKinds(), [](const MemoryKind* kind) {
    std::string name(kind->name);
    if (kind->argument == Argument::kRequired) name += "=FILE";
    if (kind->argument == Argument::kOptional) name += "[=WHICH]";
    return name;
  });
}

}  // namespace

void AddMemoryOptions(CLI::App& app, MemoryOptions& memory, MemoryArguments& arguments) {
  OptionGroup group(app, "Memory");
  group.Add(
      "--memory", "KIND",
      "of the messages, on both sides: " + KindNames() + "; rdmabench devices says what there is",
      [&memory, &arguments](const std::string& text) {
        const Choice choice = ParseChoice("--memory", text);
        if (choice.kind.argument == Argument::kRequired && choice.argument.empty()) {
          throw Error(Blame::kUsage, "--memory " + text + " does not say which file",
                      "give --memory " + std::string(choice.kind.name) + "=FILE");
        }
        memory.kind = choice.kind.name;
        if (!choice.argument.empty()) arguments[memory.kind] = choice.argument;
      });
  group.Add("--remote-memory", "KIND", "of the server's messages; default: as --memory",
            [&memory](const std::string& text) {
              const Choice choice = ParseChoice("--remote-memory", text);
              const std::string name(choice.kind.name);
              if (!choice.argument.empty()) {
                throw Error(Blame::kUsage, "--remote-memory " + text + " says which on the server",
                            "the server itself does: rdmabench server --memory " + text);
              }
              memory.remote_kind = name;
            });
  group.Size("--working-set", memory.working_set_bytes, kWorkingSetBytes,
             "bytes that the requests of a side go through; default: a slot for each request of a "
             "queue, at most 64M a thread");
  group.Text("--access", memory.access, "ORDER",
             "of the slots: " + AccessNames() + " (one slot a queue pair); default sequential");
  group.Flag("--mr-per-qp", memory.mr_per_qp, "register the memory for each queue pair");
  group.Size("--align", memory.align_bytes, kAlignBytes,
             "alignment of slots, a power of two up to 4K; default 64");
  group.Size("--offset", memory.offset_bytes, kOffsetBytes,
             "of a message in its slot, up to 64K; default 0");
}

void AddMemoryArguments(CLI::App& app, MemoryArguments& arguments) {
  OptionGroup(app, "Memory")
      .Add("--memory", "KIND=WHICH",
           "what this side's memory of a kind is, such as mmap=FILE; several with commas",
           [&arguments](const std::string& text) {
             for (const std::string& element : SplitList(text)) {
               const Choice choice = ParseChoice("--memory", element);
               if (choice.argument.empty()) {
                 throw Error(Blame::kUsage, "--memory " + element + " does not say which",
                             "give KIND=WHICH, such as mmap=FILE; tests say which kind they use");
               }
               arguments[std::string(choice.kind.name)] = choice.argument;
             }
           });
}

}  // namespace rdmabench
