#include "bench/plan.h"

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/suite.h"
#include "transport/cpu_list.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

constexpr std::string_view kStandardInput = "-";

using nlohmann::json;

// One list of fields for each group of the plan, visited by the reader and by the writer.
template <class Visitor>
void Visit(Visitor& visitor, QueueOptions& queue) {
  visitor.Text("qp_type", queue.qp_type);
  visitor.Number("queue_pairs", queue.queue_pairs, kQueuePairs);
  visitor.Number("threads", queue.threads, kThreads);
  visitor.Number("send_depth", queue.send_depth, kDepth);
  visitor.Number("recv_depth", queue.recv_depth, kDepth);
  visitor.Number("post_list", queue.post_list, kPostList);
  visitor.Number("recv_post_list", queue.recv_post_list, kPostList);
  visitor.Number("signal_every", queue.signal_every, kSignalEvery);
  visitor.Number("inline_bytes", queue.inline_bytes, kInlineBytes);
  visitor.Number("read_depth", queue.read_depth, kReadDepth);
  visitor.Flag("use_srq", queue.use_srq);
  visitor.Flag("events", queue.events);
  visitor.Number("completion_vector", queue.completion_vector, kVector);
  visitor.Flag("bidirectional", queue.bidirectional);
  visitor.Flag("reversed", queue.reversed);
  visitor.Flag("rdma_cm", queue.rdma_cm);
}

template <class Visitor>
void Visit(Visitor& visitor, LinkOptions& link) {
  visitor.Number("mtu_bytes", link.mtu_bytes, Range{256, 4096});
  visitor.Number("timeout", link.timeout, kTimeout);
  visitor.Number("retry_count", link.retry_count, kRetry);
  visitor.Number("rnr_retry", link.rnr_retry, kRetry);
  visitor.Number("service_level", link.service_level, kServiceLevel);
  visitor.Number("traffic_class", link.traffic_class, kOctet);
  visitor.Numbers("flow_labels", link.flow_labels, kFlowLabel, kMostFlowLabels);
  visitor.Number("hop_limit", link.hop_limit, kOctet);
  visitor.Number("pkey_index", link.pkey_index, kPkeyIndex);
  visitor.Text("gid_type", link.gid_type);
  visitor.Flag("ipv6", link.ipv6);
}

template <class Visitor>
void Visit(Visitor& visitor, MemoryOptions& memory) {
  visitor.Text("kind", memory.kind);
  visitor.Text("remote_kind", memory.remote_kind);
  visitor.Flag("relaxed_ordering", memory.relaxed_ordering);
  visitor.Number("working_set_bytes", memory.working_set_bytes, kWorkingSetBytes);
  visitor.Text("access", memory.access);
  visitor.Flag("mr_per_qp", memory.mr_per_qp);
  visitor.Number("align_bytes", memory.align_bytes, kAlignBytes);
  visitor.Number("offset_bytes", memory.offset_bytes, kOffsetBytes);
}

template <class Visitor>
void Visit(Visitor& visitor, RunOptions& run) {
  visitor.Numbers("message_bytes", run.message_bytes, kMessageBytes, kMostSizes);
  visitor.Flag("all_sizes", run.all_sizes);
  visitor.Number("iterations", run.iterations, kIterations);
  visitor.Number("duration_ms", run.duration_ms, Range{1, kMilliseconds.high});
  visitor.Flag("until_interrupted", run.until_interrupted);
  visitor.Real("until_ci_percent", run.until_ci_percent, kCiPercent);
  visitor.Number("max_time_ms", run.max_time_ms, Range{1, kMilliseconds.high});
  visitor.Number("runs", run.runs, kRuns);
  visitor.Real("rate_bits_per_second", run.rate.bits_per_second, kRateBits);
  visitor.Real("rate_messages_per_second", run.rate.messages_per_second, kRateMessages);
  visitor.Number("burst", run.burst, kBurst);
  visitor.Text("arrival", run.arrival);
  visitor.Number("arrival_seed", run.arrival_seed, kSeed);
  visitor.Numbers("rate_sweep", run.rate_sweep, kRateMessages, kMostRates);
  visitor.Real("slo_percentile", run.slo_percentile, kPercentile);
  visitor.Number("slo_ns", run.slo_ns, kSloNanoseconds);
  visitor.Reals("percentiles", run.percentiles, report::kFinestPercent,
                100.0 - report::kFinestPercent, kMostPercentiles);
  visitor.Number("reply_timeout_ms", run.reply_timeout_ms, kReplyTimeout);
  visitor.Number("warmup_ms", run.warmup_ms, kMilliseconds);
  visitor.Number("warmup_max_ms", run.warmup_max_ms, kMilliseconds);
  visitor.Number("stall_timeout_ms", run.stall_timeout_ms, Range{100, kMilliseconds.high});
  visitor.Number("peer_timeout_ms", run.peer_timeout_ms, kPeerTimeout);
  visitor.Flag("verify", run.verify);
  visitor.Number("verify_seed", run.verify_seed, kVerifySeed);
}

template <class Visitor>
void Visit(Visitor& visitor, TestPlan& test) {
  visitor.Text("test", test.test);
  visitor.Group("queue", test.queue);
  visitor.Group("link", test.link);
  visitor.Group("memory", test.memory);
  visitor.Group("run", test.run);
}

template <class Visitor>
void Visit(Visitor& visitor, RemoteOptions& remote) {
  visitor.Texts("devices", remote.devices, kMostRails);
  visitor.Cpus("cpus", remote.cpus);
  visitor.Number("numa_node", remote.numa_node, kNumaNode);
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
  void Real(const char* key, const std::optional<double>& value, Range /*range*/) {
    if (value) object_[key] = *value;
  }
  void Reals(const char* key, const std::vector<double>& values, double /*low*/, double /*high*/,
             std::size_t /*most*/) {
    object_[key] = values;
  }
  void Cpus(const char* key, const std::vector<std::uint64_t>& cpus) {
    if (!cpus.empty()) object_[key] = cpus;
  }
  void Texts(const char* key, const std::vector<std::string>& values, std::size_t /*most*/) {
    if (!values.empty()) object_[key] = values;
  }
  void Text(const char* key, const std::string& value) { object_[key] = value; }
  void Text(const char* key, const std::optional<std::string>& value) {
    if (value) object_[key] = *value;
  }
  void Flag(const char* key, bool value) { object_[key] = value; }
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
  void Real(const char* key, std::optional<double>& value, Range range) {
    if (!reader_.Has(key)) return;
    value = reader_.Real(key, static_cast<double>(range.low), static_cast<double>(range.high));
  }
  void Reals(const char* key, std::vector<double>& values, double low, double high,
             std::size_t most) {
    if (reader_.Has(key)) values = reader_.Reals(key, low, high, most);
  }
  void Cpus(const char* key, std::vector<std::uint64_t>& cpus) {
    if (reader_.Has(key)) cpus = reader_.Numbers(key, 0, kMostCpu, kMostCpu + 1);
  }
  void Texts(const char* key, std::vector<std::string>& values, std::size_t most) {
    if (reader_.Has(key)) values = reader_.Texts(key, most);
  }
  template <class T>
  void Text(const char* key, T& value) {
    if (reader_.Has(key)) value = reader_.Text(key);
  }
  template <class T>
  void Flag(const char* key, T& value) {
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

}  // namespace

std::string Range::ToString() const { return std::to_string(low) + " to " + std::to_string(high); }

json PlanToJson(const Plan& plan) {
  json tests = json::array();
  for (TestPlan test : plan.tests) {
    Writer writer;
    Visit(writer, test);
    tests.push_back(writer.Take());
  }
  json object = {{"tests", std::move(tests)}};
  RemoteOptions remote = plan.remote;
  Writer writer;
  Visit(writer, remote);
  if (json asked = writer.Take(); !asked.empty()) object["remote"] = std::move(asked);
  return object;
}

Plan PlanFromJson(const json& object, Blame blame) {
  JsonReader reader(object, "plan", blame);
  Plan plan;
  for (JsonReader& test : reader.Objects("tests", kMostTests)) {
    Reader fields(std::move(test));
    Visit(fields, plan.tests.emplace_back());
    fields.Done();
  }
  if (reader.Has("remote")) {
    Reader remote(reader.Object("remote"));
    Visit(remote, plan.remote);
    remote.Done();
  }
  reader.Done();
  Validate(plan);
  return plan;
}

Plan PlanFromText(std::string_view text, std::string_view name) {
  const json document = ParseJson(text, name, Blame::kUsage);
  // A report holds the plan that it was made by, and so can be run again.
  const bool is_report =
      document.is_object() && document.contains("schema_version") && document.contains("plan");
  return PlanFromJson(is_report ? document["plan"] : ExpandSuite(document), Blame::kUsage);
}

Plan PlanFromFile(const std::string& path) {
  std::ifstream file;
  if (path != kStandardInput) file.open(path, std::ios::binary);
  std::istream& source = path == kStandardInput ? std::cin : file;
  std::ostringstream text;
  text << source.rdbuf();
  if (!source) {
    throw Error(Blame::kUsage, WithReason("cannot read the suite '" + path + "'", LastErrno()),
                "give a file such as configs/smoke.json, or a report");
  }
  return PlanFromText(text.str(), "the suite '" + path + "'");
}

}  // namespace rdmabench
