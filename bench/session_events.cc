#include "bench/session_events.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/test.h"

namespace rdmabench {
namespace {

std::string TestName(const TestPlan& test) { return test.test + " " + test.queue.qp_type; }

// Each test once, in order, with how often it is there; a long list is cut.
std::string Summary(const Plan& plan) {
  constexpr std::size_t kMostNamed = 8;
  std::vector<std::pair<std::string, std::size_t>> names;
  for (const TestPlan& test : plan.tests) {
    const std::string name = TestName(test);
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const auto& counted) { return counted.first == name; });
    if (found == names.end()) {
      names.emplace_back(name, 1);
    } else {
      ++found->second;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostNamed; ++i) {
    text += (i == 0 ? "" : ", ") + names[i].first;
    if (names[i].second > 1) text += " ×" + std::to_string(names[i].second);
  }
  return text + (names.size() > kMostNamed ? " …" : "");
}

}  // namespace

Event PlanAgreed(const Plan& plan, std::size_t accepted) {
  const std::string summary = Summary(plan);
  std::string text = "plan: " + summary;
  if (accepted < plan.tests.size()) {
    text += ", of which " + std::to_string(plan.tests.size() - accepted) + " tests are refused";
  }
  return {.kind = EventKind::kPlanAgreed,
          .peer = "",
          .text = text,
          .fields = {{"plan", summary},
                     {"tests", std::uint64_t{accepted}},
                     {"tests_refused", std::uint64_t{plan.tests.size() - accepted}}}};
}

Event TestStarted(const TestPlan& test, std::size_t devices, std::size_t sizes,
                  std::uint32_t number) {
  const std::uint64_t queue_pairs = test.queue.queue_pairs;
  const std::uint64_t runs = test.run.runs;
  std::string text = TestName(test) + " begins, " + std::to_string(queue_pairs) + " queue pairs, ";
  if (devices > 1) text += std::to_string(devices) + " devices, ";
  text += std::to_string(sizes) + " sizes";
  if (runs > 1) text += ", run " + std::to_string(number) + " of " + std::to_string(runs);
  return {.kind = EventKind::kTestStarted,
          .peer = "",
          .text = text,
          .fields = {{"test", test.test},
                     {"qp_type", test.queue.qp_type},
                     {"queue_pairs", queue_pairs},
                     {"devices", std::uint64_t{devices}},
                     {"sizes", std::uint64_t{sizes}},
                     {"run", std::uint64_t{number}},
                     {"runs", runs}}};
}

std::optional<Event> SizeMeasured(const TestPlan& test, std::uint64_t message_bytes,
                                  const SideRun& own, const SideRun& client) {
  report::Traffic traffic;
  for (const SideRun* side : {&own, &client}) {
    if (side->sent) traffic = *side->sent;
  }
  const double seconds = traffic.window_seconds;
  if (seconds == 0.0) return std::nullopt;
  const double bytes_per_second = static_cast<double>(traffic.bytes) / seconds;
  const double messages_per_second = static_cast<double>(traffic.messages) / seconds;
  std::array<char, 64> rate = {};
  if (FindTest(test.test).metric == Metric::kBandwidth) {
    std::snprintf(rate.data(), rate.size(), "%.3f Gb/s", 8.0 * bytes_per_second * 1e-9);
  } else {
    std::snprintf(rate.data(), rate.size(), "%.0f a second", messages_per_second);
  }
  return Event{.kind = EventKind::kSizeMeasured,
               .peer = "",
               .text = TestName(test) + " " + std::to_string(message_bytes) +
                       " B: " + std::to_string(traffic.messages) + " messages, " + rate.data(),
               .fields = {{"test", test.test},
                          {"qp_type", test.queue.qp_type},
                          {"message_bytes", message_bytes},
                          {"messages", traffic.messages},
                          {"window_seconds", seconds},
                          {"bytes_per_second", bytes_per_second},
                          {"messages_per_second", messages_per_second}}};
}

}  // namespace rdmabench
