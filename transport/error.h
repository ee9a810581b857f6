// The one exception that setup throws: what was attempted, the system's words, and what to do about
// it. It is caught in main and at the session's edge, and nowhere else. Loops return a status
// instead.
#pragma once

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rdmabench {

// Who has to act on a failure. cmd/ turns it into the exit code.
enum class Blame {
  kRun,          // the run failed: peer gone, stalled, completion error, refused
  kUsage,        // what was asked for is ill-formed or contradicts itself
  kEnvironment,  // this machine cannot do it: no device, port down, memlock, no permission
  kInterrupted,  // SIGINT or SIGTERM
  kVerdict,      // measured, but outside the limits that the user has set; or the doctor found
                 // something severe
};

class Error : public std::runtime_error {
 public:
  // `message` says what was attempted and what the system answered; `remedy` what the reader can
  // do.
  Error(Blame blame, const std::string& message, std::string remedy = {});

  Blame blame() const { return blame_; }
  const std::string& remedy() const { return remedy_; }
  // The side where it happened ("client", "server") and what that side was doing; empty until At().
  const std::string& host() const { return host_; }
  const std::string& step() const { return step_; }

  // Names the place, unless an inner level has named it already. Returns *this, to rethrow in
  // place.
  Error& At(std::string_view host, std::string_view step);

  // The row of the catalogue that it is of: "IBV_WC_RETRY_EXC_ERR"; empty where none is.
  const std::string& entry() const { return entry_; }
  Error& Of(std::string entry);

  // Adds to what happened, behind a semicolon. Nothing for an empty text.
  Error& Add(std::string_view more);
  // Says before what happened where it did: "between rxe0 and rxe1".
  Error& Precede(std::string_view where);

  // Puts a remark before the remedy. Nothing for an empty one.
  Error& AdviseFirst(std::string_view remark);

  // Whether the other side has told it.
  bool is_peers() const { return is_peers_; }
  Error& ToldByPeer();
  // Whether this side is sound, and does not grant what the other one asks for.
  bool is_refusal() const { return is_refusal_; }
  Error& Refusing();
  // What went wrong with the other side at the same time; null where that is not known.
  const Error* peer() const { return peer_.get(); }
  Error& Beside(const Error& peers);

 private:
  Blame blame_;
  std::string remedy_;
  std::string host_;
  std::string step_;
  std::string entry_;
  bool is_peers_ = false;
  bool is_refusal_ = false;
  std::shared_ptr<const Error> peer_;  // shared: copying an exception must not throw
};

// Any exception as an Error: what is none (std::bad_alloc, std::system_error …) is a failed run in
// its own words.
Error AsError(const std::exception& exception);

// "attempted: words of errno value `code`".
std::string WithReason(std::string_view attempted, int code);

// For calls that return a pointer and set errno. Returns `pointer`, throws an environment Error
// when null.
template <class T>
T* Check(T* pointer, std::string_view attempted, std::string_view remedy = {});

// For verbs, which return the errno value itself (0 is success).
void Check(int code, std::string_view attempted, std::string_view remedy = {});

// For system calls, which return -1 and set errno. Returns `result`.
int CheckErrno(int result, std::string_view attempted, std::string_view remedy = {});

[[noreturn]] void ThrowErrno(int code, std::string_view attempted, std::string_view remedy);
int LastErrno();

template <class T>
T* Check(T* pointer, std::string_view attempted, std::string_view remedy) {
  if (pointer == nullptr) ThrowErrno(LastErrno(), attempted, remedy);
  return pointer;
}

}  // namespace rdmabench
