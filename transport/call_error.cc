#include "transport/call_error.h"

#include "transport/catalogue.h"
#include "transport/memlock.h"

namespace rdmabench {
namespace {

constexpr std::string_view kMemlock = "memlock";

}  // namespace

void ThrowCall(std::string_view call, int code, const CallContext& context) {
  const std::string happened = WithReason(context.attempted, code);
  if (context.locks) {
    const std::string evidence = MemlockEvidence(ReadMemlockLimit(), context.locks_bytes, code);
    if (!evidence.empty()) {
      const CatalogueRow& row = *FindEntry(kMemlock);
      throw Error(Blame::kEnvironment, happened + ": " + evidence, AdviceOf(row)).Of(EntryOf(row));
    }
  }
  const CatalogueRow* row = RowOfCall(call, code);
  if (row == nullptr) throw Error(Blame::kEnvironment, happened, context.remedy);
  const Error error = ErrorOf(*row, Blame::kEnvironment, happened);
  if (context.remedy.empty()) throw Error(error);
  throw Error(Blame::kEnvironment, happened, context.remedy).Of(error.entry());
}

}  // namespace rdmabench
