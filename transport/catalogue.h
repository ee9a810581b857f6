// What failures mean here: one row for each completion status, errno value of a verb, asynchronous
// event, event of rdma_cm and failure of the session, with the likely causes in order and what to
// check. Whoever fails looks its row up, and puts the facts of the moment before it. docs/errors.md
// shows all of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "transport/error.h"

namespace rdmabench {

enum class FailureKind {
  kCompletion,  // status of a work completion
  kCall,        // errno value of a verb
  kEvent,       // asynchronous event of a device
  kConnection,  // event of rdma_cm
  kSession,     // of the session between the two sides, or of their agreement
};

enum class Weight {
  kFailure,      // ends the run
  kConsequence,  // ends the run, but something else went wrong before
  kWarning,      // the run goes on, and the report says so
  kNothing,      // happens in sound runs
};

// What of the moment belongs into the text.
enum class Facts {
  kNone,
  kPath,     // both GIDs, MTUs, depths, and the counters that moved
  kSession,  // of the session's way only: ports that went down
};

struct CatalogueRow {
  FailureKind kind = FailureKind::kCompletion;
  std::string_view name;     // "IBV_WC_RETRY_EXC_ERR", "ENOMEM", "silent"
  int code = 0;              // status, errno value or event
  std::string_view of = {};  // of a call: which one; empty: any that no other row names
  int reason = kAnyReason;   // of an event of rdma_cm: its status
  std::string_view meaning;  // what it means here
  std::string_view causes;   // likely ones, the likeliest first; may be empty
  std::string_view check;    // what to look at or to do
  Facts facts = Facts::kNone;
  Weight weight = Weight::kFailure;
  bool may_pass = false;      // of rdma_cm: another attempt may well succeed
  Blame blame = Blame::kRun;  // of the session: who has to act; of others only the call knows

  static constexpr int kAnyReason = ~0;
};

std::span<const CatalogueRow> CatalogueOf(FailureKind kind);
inline constexpr FailureKind kFailureKinds[] = {FailureKind::kCompletion, FailureKind::kCall,
                                                FailureKind::kEvent, FailureKind::kConnection,
                                                FailureKind::kSession};

// Every status has one: those that no header names that of IBV_WC_GENERAL_ERR.
const CatalogueRow& RowOfCompletion(int status);
// That of the call, else that of any call; null where errno's own words have to do.
const CatalogueRow* RowOfCall(std::string_view call, int code);
const CatalogueRow* RowOfEvent(int event);
// That of the reason, else that of the event.
const CatalogueRow* RowOfConnection(int event, int reason);
// The row has to exist: "silent".
const CatalogueRow& RowOfSession(std::string_view name);

// How errors, reports and docs/errors.md name a row: "IBV_WC_RETRY_EXC_ERR", "ibv_reg_mr ENOMEM",
// "RDMA_CM_EVENT_REJECTED 8", "silent".
std::string EntryOf(const CatalogueRow& row);
const CatalogueRow* FindEntry(std::string_view entry);

// Causes and check in one line, as a remedy.
std::string AdviceOf(const CatalogueRow& row);

// An error of the row: `happened`, then what that means; its advice is the remedy.
Error ErrorOf(const CatalogueRow& row, Blame blame, const std::string& happened);

// An error of the row that says no more than `happened`; its advice is the remedy.
Error ErrorInOwnWords(const CatalogueRow& row, Blame blame, const std::string& happened);

// That of the session's row of that name, with the row's blame.
Error SessionError(std::string_view name, const std::string& happened);

// The wish of this side's user, who needs no advice.
Error Interruption();
// Whether it is that, of either side's user.
bool IsInterruption(const Error& error);

// What of the moment belongs into the error's text, by its row; nothing into one that the other
// side has told, or that has no row.
Facts FactsFor(const Error& error);

// Whether something else must have gone wrong before.
bool IsConsequence(const Error& error);

}  // namespace rdmabench
