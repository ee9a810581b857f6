#include "transport/catalogue.h"

#include <infiniband/verbs.h>

#include <algorithm>
#include <cassert>

#include "transport/catalogue_rows.h"

namespace rdmabench {
namespace {

struct Part {
  FailureKind kind;
  std::span<const CatalogueRow> (*rows)();
};

constexpr Part kParts[] = {
    {FailureKind::kCompletion, CompletionRows}, {FailureKind::kCall, CallRows},
    {FailureKind::kEvent, DeviceEventRows},     {FailureKind::kConnection, ConnectionRows},
    {FailureKind::kSession, SessionRows},
};

template <class Predicate>
const CatalogueRow* FindRow(FailureKind kind, Predicate matches) {
  const std::span<const CatalogueRow> rows = CatalogueOf(kind);
  const auto found = std::find_if(rows.begin(), rows.end(), matches);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::span<const CatalogueRow> CatalogueOf(FailureKind kind) {
  for (const Part& part : kParts) {
    if (part.kind == kind) return part.rows();
  }
  return {};
}

const CatalogueRow& RowOfCompletion(int status) {
  for (const int wanted : {status, static_cast<int>(IBV_WC_GENERAL_ERR)}) {
    const CatalogueRow* row = FindRow(
        FailureKind::kCompletion, [wanted](const CatalogueRow& one) { return one.code == wanted; });
    if (row != nullptr) return *row;
  }
  assert(false);
  return CompletionRows().front();
}

const CatalogueRow* RowOfCall(std::string_view call, int code) {
  for (const std::string_view of : {call, std::string_view()}) {
    const CatalogueRow* row = FindRow(FailureKind::kCall, [&](const CatalogueRow& one) {
      return one.of == of && one.code == code;
    });
    if (row != nullptr) return row;
  }
  return nullptr;
}

const CatalogueRow* RowOfEvent(int event) {
  return FindRow(FailureKind::kEvent,
                 [event](const CatalogueRow& one) { return one.code == event; });
}

const CatalogueRow* RowOfConnection(int event, int reason) {
  for (const int wanted : {reason, CatalogueRow::kAnyReason}) {
    const CatalogueRow* row = FindRow(FailureKind::kConnection, [&](const CatalogueRow& one) {
      return one.code == event && one.reason == wanted;
    });
    if (row != nullptr) return row;
  }
  return nullptr;
}

const CatalogueRow& RowOfSession(std::string_view name) {
  const CatalogueRow* row =
      FindRow(FailureKind::kSession, [name](const CatalogueRow& one) { return one.name == name; });
  assert(row != nullptr);
  return *row;
}

std::string EntryOf(const CatalogueRow& row) {
  std::string entry(row.of);
  if (!entry.empty()) entry += ' ';
  entry += row.name;
  if (row.reason != CatalogueRow::kAnyReason) entry += ' ' + std::to_string(row.reason);
  return entry;
}

const CatalogueRow* FindEntry(std::string_view entry) {
  for (const FailureKind kind : kFailureKinds) {
    const CatalogueRow* row =
        FindRow(kind, [entry](const CatalogueRow& one) { return EntryOf(one) == entry; });
    if (row != nullptr) return row;
  }
  return nullptr;
}

std::string AdviceOf(const CatalogueRow& row) {
  const std::string check(row.check);
  if (row.causes.empty()) return check;
  const bool several = row.causes.find(';') != std::string_view::npos;
  return std::string(several ? "likely, in this order: " : "likely: ") + std::string(row.causes) +
         ". To do: " + check;
}

Error ErrorOf(const CatalogueRow& row, Blame blame, const std::string& happened) {
  return ErrorInOwnWords(row, blame, happened + ": " + std::string(row.meaning));
}

Error ErrorInOwnWords(const CatalogueRow& row, Blame blame, const std::string& happened) {
  return Error(blame, happened, AdviceOf(row)).Of(EntryOf(row));
}

Error SessionError(std::string_view name, const std::string& happened) {
  const CatalogueRow& row = RowOfSession(name);
  return ErrorInOwnWords(row, row.blame, happened);
}

Error Interruption() {
  const CatalogueRow& row = RowOfSession("interrupted");
  return Error(row.blame, "interrupted").Of(EntryOf(row));
}

bool IsInterruption(const Error& error) { return error.entry() == Interruption().entry(); }

Facts FactsFor(const Error& error) {
  const CatalogueRow* row = error.is_peers() ? nullptr : FindEntry(error.entry());
  return row == nullptr ? Facts::kNone : row->facts;
}

bool IsConsequence(const Error& error) {
  const CatalogueRow* row = FindEntry(error.entry());
  return row != nullptr && row->weight == Weight::kConsequence;
}

}  // namespace rdmabench
