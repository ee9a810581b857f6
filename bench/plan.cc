#include "bench/plan.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/test.h"
#include "transport/device_info.h"
#include "transport/json_reader.h"
#include "transport/memory.h"

namespace rdmabench {
namespace {

using nlohmann::json;

// One list of fields for each group of the plan, visited by the reader and by the writer.
template <class Visitor>
void Visit(Visitor& visitor, QueueOptions& queue) {
  visitor.Text("qp_type", queue.qp_type);
  visitor.Number("queue_pairs", queue.queue_pairs, kQueuePairs);
  visitor.Number("send_depth", queue.send_depth, kDepth);
  visitor.Number("post_list", queue.post_list, kPostList);
  visitor.Number("signal_every", queue.signal_every, kSignalEvery);
  visitor.Number("inline_bytes", queue.inline_bytes, kInlineBytes);
}

template <class Visitor>
void Visit(Visitor& visitor, LinkOptions& link) {
  visitor.Number("mtu_bytes", link.mtu_bytes, Range{256, 4096});
  visitor.Number("timeout", link.timeout, kTimeout);
  visitor.Number("retry_count", link.retry_count, kRetry);
}

template <class Visitor>
void Visit(Visitor& visitor, MemoryOptions& memory) {
  visitor.Text("kind", memory.kind);
  visitor.Flag("relaxed_ordering", memory.relaxed_ordering);
}

template <class Visitor>
void Visit(Visitor& visitor, RunOptions& run) {
  visitor.Numbers("message_bytes", run.message_bytes, kMessageBytes, kMostSizes);
  visitor.Number("iterations", run.iterations, kIterations);
  visitor.Number("duration_ms", run.duration_ms, Range{1, kMilliseconds.high});
  visitor.Number("warmup_ms", run.warmup_ms, kMilliseconds);
  visitor.Number("stall_timeout_ms", run.stall_timeout_ms, Range{100, kMilliseconds.high});
  visitor.Number("peer_timeout_ms", run.peer_timeout_ms, kPeerTimeout);
}

template <class Visitor>
void Visit(Visitor& visitor, TestPlan& test) {
  visitor.Text("test", test.test);
  visitor.Group("queue", test.queue);
  visitor.Group("link", test.link);
  visitor.Group("memory", test.memory);
  visitor.Group("run", test.run);
}

class Writer {
 public:
  template <class T>
  void Number(const char* key, const T& value, Range /*range*/) {
    object_[key] = value;
  }
  template <class T>
  void Number(const char* key, const std::optional<T>& value, Range /*range*/) {
    if (value) object_[key] = *value;
  }
  void Numbers(const char* key, const std::vector<std::uint64_t>& values, Range /*range*/,
               std::size_t /*most*/) {
    object_[key] = values;
  }
  void Text(const char* key, const std::string& value) { object_[key] = value; }
  void Flag(const char* key, const std::optional<bool>& value) {
    if (value) object_[key] = *value;
  }
  template <class T>
  void Group(const char* key, T& group) {
    Writer writer;
    Visit(writer, group);
    object_[key] = std::move(writer.object_);
  }
  json Take() { return std::move(object_); }

 private:
  json object_ = json::object();
};

// Absent keys keep the default, so that a plan written by hand may be short.
class Reader {
 public:
  explicit Reader(JsonReader reader) : reader_(std::move(reader)) {}

  template <class T>
  void Number(const char* key, T& value, Range range) {
    if (reader_.Has(key)) value = static_cast<T>(reader_.Number(key, range.low, range.high));
  }
  template <class T>
  void Number(const char* key, std::optional<T>& value, Range range) {
    if (reader_.Has(key)) value = static_cast<T>(reader_.Number(key, range.low, range.high));
  }
  void Numbers(const char* key, std::vector<std::uint64_t>& values, Range range, std::size_t most) {
    if (reader_.Has(key)) values = reader_.Numbers(key, range.low, range.high, most);
  }
  void Text(const char* key, std::string& value) {
    if (reader_.Has(key)) value = reader_.Text(key);
  }
  void Flag(const char* key, std::optional<bool>& value) {
    if (reader_.Has(key)) value = reader_.Flag(key);
  }
  template <class T>
  void Group(const char* key, T& group) {
    if (!reader_.Has(key)) return;
    Reader reader(reader_.Object(key));
    Visit(reader, group);
    reader.Done();
  }
  void Done() const { reader_.Done(); }

 private:
  JsonReader reader_;
};

[[noreturn]] void Refuse(const std::string& message, const std::string& remedy) {
  throw Error(Blame::kUsage, message, remedy);
}

void ValidateSizes(const TestPlan& test, const Op& op) {
  if (test.run.message_bytes.empty()) Refuse("there is no message size", "give one with --size");
  for (const std::uint64_t bytes : test.run.message_bytes) {
    if (op.fixed_size != 0 && bytes != op.fixed_size) {
      Refuse("--size " + std::to_string(bytes) + " does not go with " + test.test,
             "its messages have " + std::to_string(op.fixed_size) + " bytes; leave --size out");
    }
  }
}

void ValidateQueue(const TestPlan& test) {
  const QueueOptions& queue = test.queue;
  if (queue.send_depth && queue.post_list > *queue.send_depth) {
    Refuse("--post-list " + std::to_string(queue.post_list) + " is more than --tx-depth " +
               std::to_string(*queue.send_depth),
           "a post has to fit into the send queue: lower the one or raise the other");
  }
  if (queue.send_depth && queue.signal_every && *queue.signal_every > *queue.send_depth) {
    Refuse(
        "--cq-mod " + std::to_string(*queue.signal_every) + " is more than --tx-depth " +
            std::to_string(*queue.send_depth),
        "a full send queue has to contain a signalled request: lower the one or raise the other");
  }
}

void ValidateTest(const TestPlan& test) {
  const Op& op = *FindTest(test.test).op;
  const QpType& type = FindQpType(test.queue.qp_type);
  if (!IsLegal(op, type)) {
    Refuse(test.test + " does not go with --connection " + std::string(type.name),
           "legal queue pair types for it: " + std::string(op.qp_types));
  }
  FindMemoryKind(test.memory.kind);
  if (test.link.mtu_bytes) MtuFromBytes(*test.link.mtu_bytes);
  ValidateSizes(test, op);
  ValidateQueue(test);
}

}  // namespace

std::string Range::ToString() const { return std::to_string(low) + " to " + std::to_string(high); }

void Validate(const Plan& plan) {
  if (plan.tests.empty()) Refuse("the plan has no test", "name one");
  for (const TestPlan& test : plan.tests) ValidateTest(test);
}

json PlanToJson(const Plan& plan) {
  json tests = json::array();
  for (TestPlan test : plan.tests) {
    Writer writer;
    Visit(writer, test);
    tests.push_back(writer.Take());
  }
  return {{"tests", std::move(tests)}};
}

Plan PlanFromJson(const json& object, Blame blame) {
  JsonReader reader(object, "plan", blame);
  Plan plan;
  for (JsonReader& test : reader.Objects("tests", kMostTests)) {
    Reader fields(std::move(test));
    Visit(fields, plan.tests.emplace_back());
    fields.Done();
  }
  reader.Done();
  Validate(plan);
  return plan;
}

Plan PlanFromFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw Error(Blame::kUsage, WithReason("cannot read the suite '" + path + "'", LastErrno()),
                "give a file such as configs/smoke.json, or a report");
  }
  const json document = ParseJson(text.str(), "the suite '" + path + "'", Blame::kUsage);
  // A report holds the plan that it was made by, and so can be run again.
  const bool is_report =
      document.is_object() && document.contains("schema_version") && document.contains("plan");
  return PlanFromJson(is_report ? document["plan"] : document, Blame::kUsage);
}

}  // namespace rdmabench
