#include "report/json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

#include "report/json_cost.h"
#include "report/json_delivery.h"
#include "report/json_failure.h"
#include "report/json_memory.h"
#include "report/json_placement.h"
#include "report/json_plan.h"
#include "report/json_rails.h"
#include "report/json_runs.h"
#include "report/json_verification.h"

namespace rdmabench::report {
namespace {

using Json = nlohmann::ordered_json;

// An object under construction. What is not known or not a number leaves no key.
class Object {
 public:
  template <class T>
  void Put(const std::string& key, const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) return;
    }
    json_[key] = value;
  }
  template <class T>
  void Put(const std::string& key, const std::optional<T>& value) {
    if (value) Put(key, *value);
  }
  void Put(const std::string& key, const std::optional<std::string>& value) {
    PutUnlessEmpty(key, value.value_or(""));
  }
  template <class T>
  void Put(const std::string& key, const std::optional<T>& value, Json (*to_json)(const T&)) {
    if (value) json_[key] = to_json(*value);
  }
  template <class T>
  void PutUnlessEmpty(const std::string& key, const T& value) {
    if (!value.empty()) json_[key] = value;
  }
  Json Take() { return std::move(json_); }

 private:
  Json json_ = Json::object();
};

template <class T>
Json ListJson(const std::vector<T>& values, Json (*to_json)(const T&)) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}

template <class T>
Json MapJson(const std::vector<std::pair<std::string, T>>& entries) {
  Object map;
  for (const auto& [name, value] : entries) map.Put(name, value);
  return map.Take();
}

std::string_view StatusName(Status status) {
  switch (status) {
    case Status::kRunning:
      return "running";
    case Status::kComplete:
      return "complete";
    case Status::kPartial:
      return "partial";
    case Status::kFailed:
      return "failed";
  }
  return "failed";
}

Json ToolJson(const Tool& tool) {
  Object object;
  object.Put("name", tool.name);
  object.Put("version", tool.version);
  object.Put("commit", tool.commit);
  return object.Take();
}

Json PcieJson(const Pcie& pcie) {
  Object object;
  object.Put("gigatransfers_per_second", pcie.gigatransfers_per_second);
  object.Put("lanes", pcie.lanes);
  object.Put("max_payload_bytes", pcie.max_payload_bytes);
  return object.Take();
}

Json DeviceJson(const Device& device) {
  Object object;
  object.Put("name", device.name);
  object.Put("driver", device.driver);
  object.Put("firmware", device.firmware);
  object.Put("netdev", device.netdev);
  object.Put("pcie_address", device.pcie_address);
  object.Put("port", device.port);
  object.Put("link_layer", device.link_layer);
  object.Put("link_gbps", device.link_gbps);
  object.Put("data_gbps", device.data_gbps);
  object.Put("pcie", device.pcie, PcieJson);
  object.Put("active_mtu_bytes", device.active_mtu_bytes);
  object.Put("lid", device.lid);
  object.Put("gid", device.gid, GidJson);
  return object.Take();
}

Json ClockJson(const Clock& clock) {
  Object object;
  object.Put("source", clock.source);
  object.Put("ns_per_tick", clock.ns_per_tick);
  object.Put("drift_ppm", clock.drift_ppm);
  return object.Take();
}

Json HostRailJson(const HostRail& rail) {
  Object object;
  object.Put("device", DeviceJson(rail.device));
  object.Put("placement", PlacementJson(rail.placement));
  object.PutUnlessEmpty("paired_by", rail.paired_by);
  return object.Take();
}

Json HostJson(const Host& host) {
  Object object;
  object.Put("role", host.role);
  object.Put("name", host.name);
  object.Put("address", host.address);
  object.Put("boot_id", host.boot_id);
  object.Put("kernel", host.kernel);
  object.Put("cpu", host.cpu);
  object.Put("governor", host.governor);
  object.Put("clock", host.clock, ClockJson);
  object.Put("device", host.device, DeviceJson);
  object.Put("placement", host.placement, PlacementJson);
  object.PutUnlessEmpty("rails", ListJson(host.rails, HostRailJson));
  return object.Take();
}

Json EffectiveJson(const Effective& effective) {
  Object object;
  object.Put("mtu_bytes", effective.mtu_bytes);
  object.Put("send_depth", effective.send_depth);
  object.Put("recv_depth", effective.recv_depth);
  object.Put("recv_post_list", effective.recv_post_list);
  object.Put("read_depth", effective.read_depth);
  object.Put("post_list", effective.post_list);
  object.Put("signal_every", effective.signal_every);
  object.Put("inline_bytes", effective.inline_bytes);
  object.Put("inline_used", effective.inline_used);
  object.Put("iterations_per_queue_pair", effective.iterations_per_queue_pair);
  object.Put("duration_seconds", effective.duration_seconds);
  object.Put("warmup_messages", effective.warmup_messages);
  object.Put("warmup_seconds", effective.warmup_seconds);
  object.Put("warmup_steady", effective.warmup_steady);
  object.Put("planned_messages_per_second", effective.planned_messages_per_second);
  object.Put("burst", effective.burst);
  object.Put("arrival", effective.arrival);
  object.Put("arrival_seed", effective.arrival_seed);
  object.Put("access", effective.access);
  object.Put("working_set_bytes", effective.working_set_bytes);
  object.Put("working_set_slots", effective.working_set_slots);
  object.Put("completion_queues", effective.completion_queues);
  object.Put("relaxed_ordering", effective.relaxed_ordering);
  object.Put("mr_per_qp", effective.mr_per_qp);
  object.Put("client_gid", effective.client_gid, GidJson);
  object.Put("server_gid", effective.server_gid, GidJson);
  return object.Take();
}

// The spread's keys stand beside the rates.
Json BandwidthJson(const Bandwidth& bandwidth) {
  Object object;
  object.Put("bytes_per_second", bandwidth.bytes_per_second);
  object.Put("messages_per_second", bandwidth.messages_per_second);
  if (!bandwidth.spread) return object.Take();
  const Spread& spread = *bandwidth.spread;
  object.Put("interval_count", spread.interval_count);
  object.Put("interval_seconds", spread.interval_seconds);
  object.Put("min_bytes_per_second", spread.min_bytes_per_second);
  object.Put("peak_bytes_per_second", spread.peak_bytes_per_second);
  object.Put("stdev_bytes_per_second", spread.stdev_bytes_per_second);
  object.Put("batch_count", spread.batch_count);
  object.Put("batch_correlation", spread.batch_correlation);
  object.Put("ci95_low_bytes_per_second", spread.ci95_low_bytes_per_second);
  object.Put("ci95_high_bytes_per_second", spread.ci95_high_bytes_per_second);
  return object.Take();
}

// [from_ns, to_ns, count]: a histogram has many.
Json BucketJson(const Bucket& bucket) { return {bucket.from_ns, bucket.to_ns, bucket.count}; }

// Those that are known.
Json PercentilesJson(const std::vector<Percentile>& percentiles) {
  Json list = Json::array();
  for (const Percentile& percentile : percentiles) {
    if (!percentile.ns) continue;
    Object object;
    object.Put("percent", percentile.percent);
    object.Put("ns", percentile.ns);
    if (percentile.ci95) {
      object.Put("ci95_low_ns", percentile.ci95->low_ns);
      object.Put("ci95_high_ns", percentile.ci95->high_ns);
    }
    list.push_back(object.Take());
  }
  return list;
}

Json LatencyJson(const Latency& latency) {
  Object object;
  object.Put("basis", latency.basis);
  object.Put("samples", latency.samples);
  object.Put("kept_samples", latency.kept_samples);
  object.Put("min_ns", latency.min_ns);
  object.Put("mean_ns", latency.mean_ns);
  object.Put("stdev_ns", latency.stdev_ns);
  object.PutUnlessEmpty("percentiles", PercentilesJson(latency.percentiles));
  object.Put("max_ns", latency.max_ns);
  object.Put("lost_replies", latency.lost_replies);
  object.PutUnlessEmpty("histogram", ListJson(latency.histogram, BucketJson));
  return object.Take();
}

// Of an open loop the latency is its response times.
Json OpenLoopJson(const OpenLoop& open, const std::optional<Latency>& response) {
  Object object;
  object.Put("arrival", open.arrival);
  object.Put("seed", open.seed);
  object.Put("planned_messages", open.planned_messages);
  object.Put("offered_messages_per_second", open.offered_messages_per_second);
  object.Put("achieved_messages_per_second", open.achieved_messages_per_second);
  object.Put("backlog_max", open.backlog_max);
  object.Put("backlog_end", open.backlog_end);
  object.Put("saturated", open.saturated);
  object.Put("response", response, LatencyJson);
  object.Put("service", LatencyJson(open.service));
  return object.Take();
}

Json SloJson(const Slo& slo) {
  Object object;
  object.Put("plan_index", slo.plan_index);
  object.Put("test", slo.test);
  object.Put("message_bytes", slo.message_bytes);
  object.Put("percentile", slo.percentile);
  object.Put("most_ns", slo.most_ns);
  object.Put("probes", slo.probes);
  object.Put("highest_held_messages_per_second", slo.highest_held_messages_per_second);
  object.Put("highest_held_result", slo.highest_held_result);
  object.Put("lowest_failed_messages_per_second", slo.lowest_failed_messages_per_second);
  return object.Take();
}

Json QueueTurnJson(const QueueTurn& turn) {
  Object object;
  object.Put("turn_ns", turn.turn_ns);
  object.Put("refill_ns", turn.refill_ns);
  return object.Take();
}

Json TrafficJson(const Traffic& traffic) {
  Object object;
  object.Put("messages", traffic.messages);
  object.Put("bytes", traffic.bytes);
  object.Put("window_seconds", traffic.window_seconds);
  object.Put("completion_opcode", traffic.completion_opcode);
  object.PutUnlessEmpty("messages_per_queue_pair", traffic.messages_per_queue_pair);
  object.Put("queue_turn", traffic.queue_turn, QueueTurnJson);
  return object.Take();
}

Json DirectionJson(const Direction& direction) {
  Object object;
  object.Put("from", direction.from);
  object.Put("to", direction.to);
  object.Put("sent", TrafficJson(direction.sent));
  object.Put("received", direction.received, TrafficJson);
  object.Put("delivery", direction.delivery, DeliveryJson);
  return object.Take();
}

Json IntervalJson(const Interval& interval) {
  Object object;
  object.Put("start_seconds", interval.start_seconds);
  object.Put("seconds", interval.seconds);
  object.Put("messages", interval.messages);
  return object.Take();
}

Json CheckJson(const Check& check) {
  Object object;
  object.Put("name", check.name);
  object.Put("ok", check.ok);
  object.PutUnlessEmpty("figures", MapJson(check.figures));
  object.PutUnlessEmpty("text", check.text);
  return object.Take();
}

Json ResultJson(const Result& result) {
  Object object;
  object.Put("plan_index", result.plan_index);
  object.Put("run", result.run);
  object.Put("test", result.test);
  object.Put("op", result.op);
  object.Put("metric", result.metric);
  object.Put("qp_type", result.qp_type);
  object.Put("message_bytes", result.message_bytes);
  object.Put("queue_pairs", result.queue_pairs);
  object.Put("threads", result.threads);
  object.Put("bidirectional", result.bidirectional);
  object.Put("from", result.from);
  object.Put("to", result.to);
  object.Put("complete", result.complete);
  object.Put("effective", EffectiveJson(result.effective));
  object.PutUnlessEmpty("memory", MemoriesJson(result.memory));
  object.Put("window_seconds", result.window_seconds);
  object.Put("messages", result.messages);
  object.Put("bytes", result.bytes);
  object.Put("clock_offset", result.clock_offset, ClockOffsetJson);
  object.Put("shared_window", result.shared_window, SharedWindowJson);
  object.Put("until", result.until, UntilJson);
  object.Put("bandwidth", result.bandwidth, BandwidthJson);
  if (result.open_loop) {
    object.Put("open_loop", OpenLoopJson(*result.open_loop, result.latency));
  } else {
    object.Put("latency", result.latency, LatencyJson);
  }
  object.PutUnlessEmpty("intervals", ListJson(result.intervals, IntervalJson));
  object.PutUnlessEmpty("traffic", ListJson(result.traffic, DirectionJson));
  object.Put("verification", result.verification, VerificationJson);
  object.PutUnlessEmpty("counters", CountersJson(result.counters));
  object.PutUnlessEmpty("rails", ListJson(result.rails, RailJson));
  object.PutUnlessEmpty("cpu", CpuJson(result));
  object.Put("bounds", result.bounds, BoundsJson);
  object.Put("checks", ListJson(result.checks, CheckJson));
  return object.Take();
}

}  // namespace

std::string RenderJson(const Report& report) {
  const Json plan = PlanJson(report.plan_json);
  std::vector<std::string> warnings = report.warnings;
  if (plan.is_null() && !report.plan_json.empty()) {
    warnings.emplace_back("the plan is not a JSON object and was left out of the report");
  }
  Object object;
  object.Put("schema_version", kSchemaVersion);
  object.Put("tool", ToolJson(report.tool));
  object.Put("started_at", report.started_at);
  object.Put("status", StatusName(report.status));
  object.Put("error", report.error, FailureJson);
  if (!plan.is_null()) object.Put("plan", plan);
  object.Put("hosts", ListJson(report.hosts, HostJson));
  object.Put("results", ListJson(report.results, ResultJson));
  object.PutUnlessEmpty("repetitions", ListJson(RepetitionsOf(report.results), RepetitionJson));
  object.PutUnlessEmpty("slo", ListJson(report.slo, SloJson));
  object.PutUnlessEmpty("failures", ListJson(report.failures, TestFailureJson));
  object.Put("warnings", warnings);
  return object.Take().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string RenderHost(const Host& host) {
  return HostJson(host).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rdmabench::report
