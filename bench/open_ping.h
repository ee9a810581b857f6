// The engine of an open loop: messages are sent at planned times, whatever has become of those
// before. A message that finds no room at its time is sent as soon as there is some, and its
// response time counts from the plan all the same, so that a peer which stands still delays all
// messages that would have been sent meanwhile, and not one (Gil Tene's "coordinated omission").
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/clock.h"
#include "bench/drive.h"
#include "bench/lanes.h"
#include "bench/open_answers.h"
#include "bench/policies.h"

namespace rdmabench {

template <class Channel, class Answer, class Arrivals, class Probe, class ServiceProbe = Probe>
class OpenPing {
 public:
  struct Options {
    std::uint64_t messages = 0;             // planned on a lane, at most
    std::uint32_t window = 1;               // messages under way on a lane, at most
    std::uint64_t reply_timeout_ticks = 0;  // after which an answer counts as lost; 0: all come
    ScheduleOptions schedule;               // of the first lane
  };
  // Both get Record(ticks) for each reply: the time since the message was planned, and since it was
  // posted.
  struct Probes {
    Probe& response;
    ServiceProbe& service;
  };

  OpenPing(const Options& options, Lanes<Channel> lanes, Answer answer, const TickClock& clock,
           Probes probes)
      : options_(options),
        lanes_(std::move(lanes)),
        answer_(std::move(answer)),
        clock_(clock),
        probes_(probes),
        messages_(std::size_t{lanes_.size()} * options.window),
        open_plans_(lanes_.size()) {
    ScheduleOptions schedule = options.schedule;
    for (std::uint32_t i = 0; i < lanes_.size(); ++i, ++schedule.lane) {
      states_.push_back({.unsent = Schedule<Arrivals>(schedule),
                         .undue = Schedule<Arrivals>(schedule),
                         .limit = options.messages});
    }
  }

  bool Step() {
    const std::uint64_t now = clock_.Now();
    if (first_ticks_ == 0) [[unlikely]]
      Begin(now);
    for (std::uint32_t lane = 0; lane < states_.size(); ++lane) {
      State& state = states_[lane];
      if (state.undue.due() <= now) Plan(state, now);
      if (state.sent != state.planned && !SendDue(lane)) return false;
    }
    backlog_max_ = std::max(backlog_max_, backlog());
    if (open_plans_ == 0 && !plan_has_ended_) [[unlikely]]
      EndPlan();
    const std::uint64_t before = completed_;
    if (!answer_.template Collect<Channel>(failure_, [this](std::uint32_t lane, auto mark) {
          OnReply(lane, mark);
          return true;
        }))
      return false;
    if (now >= look_ticks_) [[unlikely]]
      CheckLosses(now);
    // The own requests' completions can wait while answers come, unless a message waits for room.
    if (!Answer::kOwnCompletions && completed_ != before && backlog() == 0) return true;
    return lanes_.Reap(failure_, [this](std::uint32_t lane) {
      if constexpr (Answer::kOwnCompletions) OnReply(lane, std::uint8_t{0});
      return true;
    });
  }

  // The plan ends here. What is due is still sent, so that no late message is left out of the
  // statistics; but of a backlog of more than 1 %, whose latencies are of no steady state anyway,
  // nothing is.
  void Finish() {
    if (!plan_has_ended_) EndPlan();
    const bool gives_up = backlog() * 100 > planned_;
    if (gives_up) given_up_ += backlog();
    open_plans_ = 0;
    for (State& lane : states_) {
      if (gives_up) lane.planned = lane.sent;
      lane.limit = lane.planned;
    }
  }
  bool Done() const {
    return open_plans_ == 0 && backlog() == 0 && waiting_ == 0 && lanes_.in_flight() == 0;
  }
  std::uint64_t completed() const { return completed_; }
  // Planned times make no completion.
  static constexpr bool starved() { return true; }
  const Failure& failure() const { return failure_; }

  std::uint64_t sent() const { return sent_; }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t planned() const { return planned_; }
  // Messages that were due and not sent: the most at a time, and when the plan ended.
  std::uint64_t backlog_max() const { return backlog_max_; }
  std::uint64_t backlog_end() const { return plan_has_ended_ ? backlog_end_ : backlog(); }
  // Of all lanes, on the plan's own time.
  double offered_per_tick() const { return plan_has_ended_ ? offered_per_tick_ : Offered(); }
  // The first planned time, and after the last answer that counts.
  std::uint64_t first_ticks() const { return first_ticks_; }
  std::uint64_t last_ticks() const { return last_ticks_; }
  ibv_wc_opcode sent_opcode() const { return lanes_.opcode(); }
  ibv_wc_opcode received_opcode() const { return answer_.opcode(); }
  std::vector<std::uint64_t> counts() const {
    std::vector<std::uint64_t> counts;
    for (const State& state : states_) counts.push_back(state.completed);
    return counts;
  }

 private:
  // Two schedules of the same times: of the messages that are not sent yet, and of those that are
  // not even due. A backlog is what lies between them, and needs no memory, however long it gets.
  struct State {
    Schedule<Arrivals> unsent;
    Schedule<Arrivals> undue;
    std::uint64_t limit = 0;
    std::uint64_t first_due = 0;
    std::uint64_t planned = 0;  // due by now
    std::uint64_t sent = 0;
    std::uint64_t completed = 0;
    std::uint32_t waiting = 0;  // for an answer
    std::uint32_t next = 0;     // slot of the next message
    std::uint32_t oldest = 0;   // slot of the one that is answered next, where they are in order
  };
  struct Message {
    std::uint64_t planned = 0;
    std::uint64_t posted = 0;
    bool waits = false;
    std::uint8_t mark = 0;
  };

  // More than any device takes in a pass. Were there no bound, a rate beyond what can be planned
  // would make each pass longer than the one before.
  static constexpr std::uint32_t kMostPlanned = 1024;
  // A lost answer is noticed late by this part of the timeout.
  static constexpr std::uint64_t kLooks = 16;

  std::uint64_t backlog() const { return planned_ - sent_ - given_up_; }
  Message& At(std::uint32_t lane, std::uint32_t slot) {
    return messages_[std::size_t{lane} * options_.window + slot];
  }
  std::uint32_t After(std::uint32_t slot) const { return ++slot == options_.window ? 0 : slot; }

  [[gnu::cold]] void Begin(std::uint64_t now) {
    first_ticks_ = ~std::uint64_t{0};
    for (State& lane : states_) {
      lane.unsent.Start(now);
      lane.undue.Start(now);
      lane.first_due = lane.undue.due();
      first_ticks_ = std::min(first_ticks_, lane.first_due);
    }
    look_ticks_ = options_.reply_timeout_ticks != 0 ? now : ~std::uint64_t{0};
  }

  void Plan(State& lane, std::uint64_t now) {
    for (std::uint32_t i = 0; i < kMostPlanned && lane.planned < lane.limit; ++i) {
      if (lane.undue.due() > now) return;
      lane.undue.Take();
      ++planned_;
      if (++lane.planned == lane.limit) --open_plans_;
    }
  }

  [[gnu::cold]] void EndPlan() {
    plan_has_ended_ = true;
    backlog_end_ = backlog();
    offered_per_tick_ = Offered();
  }

  // As many gaps as messages: from the first planned time to that of the one that is not offered
  // any more.
  double Offered() const {
    double per_tick = 0.0;
    for (const State& lane : states_) {
      const std::uint64_t ticks = lane.undue.due() - lane.first_due;
      if (ticks != 0) per_tick += static_cast<double>(lane.planned) / static_cast<double>(ticks);
    }
    return per_tick;
  }

  bool SendDue(std::uint32_t lane) {
    State& state = states_[lane];
    while (state.sent != state.planned) {
      if (state.waiting == options_.window || !lanes_.HasRoom(lane)) return true;
      if (!Send(lane)) return false;
    }
    return true;
  }

  bool Send(std::uint32_t lane) {
    State& state = states_[lane];
    std::uint32_t slot = state.next;
    // Answers may leave slots in another order only where some get lost.
    while (At(lane, slot).waits) slot = After(slot);
    Message& message = At(lane, slot);
    if constexpr (Answer::kNamesSlots) {
      ibv_send_wr& request = lanes_.Select(lane, slot);
      message.mark = NextMark(request);
      Answer::Leave(request, {slot, message.mark});
    }
    message.planned = state.unsent.due();
    message.waits = true;
    state.unsent.Take();
    state.next = After(slot);
    ++state.waiting;
    ++waiting_;
    ++state.sent;
    ++sent_;
    message.posted = clock_.Now();
    return lanes_.Post(lane, failure_);
  }

  // Answers that say no more than that they are there come in the order of the messages.
  void OnReply(std::uint32_t lane, std::uint8_t /*mark*/) {
    State& state = states_[lane];
    if (state.waiting == 0) [[unlikely]]
      return;  // to nothing
    const std::uint32_t slot = state.oldest;
    state.oldest = After(slot);
    Settle(state, At(lane, slot));
  }
  void OnReply(std::uint32_t lane, SlotMark mark) {
    if (mark.slot >= options_.window) [[unlikely]]
      return;  // not from an echo
    Message& message = At(lane, mark.slot);
    if (!message.waits || message.mark != mark.value) [[unlikely]]
      return;  // late, or a second time
    Settle(states_[lane], message);
  }

  void Settle(State& lane, Message& message) {
    const std::uint64_t now = clock_.Now();
    message.waits = false;
    --lane.waiting;
    --waiting_;
    ++lane.completed;
    ++completed_;
    last_ticks_ = now;
    probes_.response.Record(now - message.planned);
    probes_.service.Record(now - message.posted);
  }

  [[gnu::noinline]] void CheckLosses(std::uint64_t now) {
    look_ticks_ = now + options_.reply_timeout_ticks / kLooks;
    for (std::uint32_t lane = 0; lane < states_.size(); ++lane) {
      for (std::uint32_t slot = 0; slot < options_.window; ++slot) {
        Message& message = At(lane, slot);
        // `now` was before the posts of this pass.
        if (!message.waits || now < message.posted + options_.reply_timeout_ticks) continue;
        message.waits = false;
        --states_[lane].waiting;
        --waiting_;
        ++lost_;
      }
    }
  }

  Options options_;
  Lanes<Channel> lanes_;
  Answer answer_;
  const TickClock& clock_;
  Probes probes_;
  std::vector<State> states_;
  std::vector<Message> messages_;  // by lane and slot
  std::size_t open_plans_;         // lanes that have not reached their limit
  bool plan_has_ended_ = false;
  std::uint64_t planned_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t given_up_ = 0;  // planned, and never sent
  std::uint64_t waiting_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t backlog_max_ = 0;
  std::uint64_t backlog_end_ = 0;
  double offered_per_tick_ = 0.0;
  std::uint64_t first_ticks_ = 0;
  std::uint64_t last_ticks_ = 0;
  std::uint64_t look_ticks_ = 0;  // when to look for losses
  Failure failure_;
};

}  // namespace rdmabench
