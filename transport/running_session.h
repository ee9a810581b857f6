// A session under way, as the server's parent knows it: its process, what that tells of itself,
// and how it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/child_process.h"
#include "transport/deadline.h"
#include "transport/descriptor.h"
#include "transport/event.h"
#include "transport/event_pipe.h"
#include "transport/server_status.h"

namespace rdmabench {

struct SessionProcess {
  int pid = 0;
  Descriptor events;  // EventPipe::reader; what the process tells; may be empty
};

struct Visit {
  std::uint64_t session = 0;  // counted from 1 since the server's start
  std::string peer;           // "192.168.77.2:5123"
  std::string ip;
  std::string request;  // of its hello
};

// What a session's events say of its run, in figures.
struct SessionAccount {
  std::string plan;  // "write_bw rc, send_lat ud"; empty: not agreed yet, or the doctor's
  std::uint64_t tests = 0;
  std::uint64_t tests_refused = 0;
  std::uint64_t tests_started = 0;
  std::uint64_t sizes_measured = 0;
  std::string latest;  // the text of its latest event
};

// What became of a session.
struct SessionOutcome {
  std::string_view name;                       // in its last event
  std::uint64_t ServerStatus::Totals::*total;  // that it adds to
};

class RunningSession {
 public:
  // Takes over the process. Throws Error(kEnvironment), as ChildProcess does.
  RunningSession(Visit visit, SessionProcess process);

  int process_fd() const { return process_.fd(); }  // readable when it has ended
  int events_fd() const { return events_.fd(); }    // readable when it has told something; or -1
  const Visit& visit() const { return visit_; }
  int pid() const { return process_.pid(); }
  Deadline started_at() const { return started_at_; }
  const SessionAccount& account() const { return account_; }
  void Signal(int signal) const { process_.Signal(signal); }

  Event Started() const;
  ServerStatus::Session Describe() const;
  // What its process has told since the last call. Its last word waits for its end.
  std::vector<Event> Hear();

  // How it ended, once it has: the process's status as a shell has it, and one event of what was
  // run, for how long, and with what outcome. To be called until then. What the process told before
  // its end should be heard first.
  struct End {
    int status = 0;
    SessionOutcome outcome;
    Event event;
  };
  std::optional<End> Reap();

 private:
  Event Complete(Event event) const;

  Visit visit_;
  ChildProcess process_;
  EventReader events_;
  Deadline started_at_;
  SessionAccount account_;
  std::optional<Event> last_word_;  // of its own account of its end
};

}  // namespace rdmabench
