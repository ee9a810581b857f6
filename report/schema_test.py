#!/usr/bin/python3
"""The published schema accepts every golden report and refuses broken ones."""

import copy
import json
import pathlib
import sys
import unittest

sys.path.insert(0, "report")  # of the workspace, where Bazel starts tests
from schema_checks import SchemaChecks, errors_in, keys_in, load, objects, removed, renamed, replaced  # noqa: E402

SCHEMA = load("report/schema.json")
GOLDEN = {path.stem: load(path) for path in sorted(pathlib.Path("report/testdata").glob("*.json"))}


def refuse_constant(name):
    raise ValueError(f"not JSON: {name}")


RESULT = ("results", 0)


def first(key):
    """Of the complete report: where the first result that has the key stands."""
    results = GOLDEN["complete"]["results"]
    return "results", next(i for i, result in enumerate(results) if key in result)


LATENCY = (*first("latency"), "latency")
COST = (*first("cpu"), "cpu", "client")
BOUNDS = (*first("bounds"), "bounds")
TRAFFIC = (*first("traffic"), "traffic", 0)


def numbered():
    results = GOLDEN["complete"]["results"]
    statuses = [result["traffic"][0].get("delivery", {}).get("status") for result in results]
    return "results", statuses.index("numbered"), "traffic", 0, "delivery"


DELIVERY = numbered()

# What is done to the complete report; each must make it invalid.
BREAKS = {
    "no schema_version": removed("schema_version"),
    "another schema_version": replaced(1, "schema_version"),
    "no tool": removed("tool"),
    "no results": removed("results"),
    "results as null": replaced(None, "results"),
    "unknown status": replaced("done", "status"),
    "complete with an error": replaced({"message": "no"}, "error"),
    "failed without an error": replaced("failed", "status"),
    "local time": replaced("2025-06-01T12:00:00+02:00", "started_at"),
    "extra key": replaced(1, "comment"),
    "extra key in a host": replaced("x", "hosts", 0, "user"),
    "extra key in a result": replaced(1.0, *RESULT, "gbps"),
    "extra key in bandwidth": replaced(1.0, *RESULT, "bandwidth", "average"),
    "extra key in effective": replaced(True, *RESULT, "effective", "events"),
    "three hosts": replaced([{"role": "client", "name": "a"}] * 3, "hosts"),
    "unknown role": replaced("peer", "hosts", 0, "role"),
    "unknown clock": replaced("hpet", "hosts", 0, "clock", "source"),
    "unknown GID type": replaced("roce", "hosts", 0, "device", "gid", "type"),
    "no ticks": replaced(0, "hosts", 0, "clock", "ns_per_tick"),
    "more pages than there are": replaced(1.5, "hosts", 0, "placement", "pages_on_node"),
    "workers on no core": replaced(0, "hosts", 0, "placement", "worker_cores"),
    "null for not known": replaced(None, "hosts", 0, "cpu"),
    "empty for not known": replaced("", "hosts", 0, "cpu"),
    "no message_bytes": removed(*RESULT, "message_bytes"),
    "wrong unit": renamed("message_kib", *RESULT, "message_bytes"),
    "no unit": renamed("window", *RESULT, "window_seconds"),
    "wrong unit in bandwidth": renamed(
        "bits_per_second", *RESULT, "bandwidth", "bytes_per_second"
    ),
    "negative count": replaced(-1, *RESULT, "messages"),
    "fractional count": replaced(1.5, *RESULT, "messages"),
    "count as text": replaced("48000000", *RESULT, "messages"),
    "negative rate": replaced(-1.0, *RESULT, "bandwidth", "bytes_per_second"),
    "unknown metric": replaced("throughput", *RESULT, "metric"),
    "no queue pairs": replaced(0, *RESULT, "queue_pairs"),
    "half a spread": removed(*RESULT, "bandwidth", "peak_bytes_per_second"),
    "a spread without its count": removed(*RESULT, "bandwidth", "interval_count"),
    "unknown basis": replaced("one_way", *LATENCY, "basis"),
    "latency without samples": removed(*LATENCY, "samples"),
    "wrong unit in latency": renamed("max_us", *LATENCY, "max_ns"),
    "percentile without its figure": removed(*LATENCY, "percentiles", 0, "ns"),
    "percentile beyond all samples": replaced(100, *LATENCY, "percentiles", 0, "percent"),
    "half an interval": removed(*LATENCY, "percentiles", 0, "ci95_low_ns"),
    "no percentiles": replaced([], *LATENCY, "percentiles"),
    "negative latency": replaced(-1.0, *LATENCY, "min_ns"),
    "traffic without its sender": removed(*TRAFFIC, "sent"),
    "extra key in traffic": replaced(1, *TRAFFIC, "sent", "lost"),
    "unknown kind of delivery": replaced("sampled", *DELIVERY, "status"),
    "half a delivery": removed(*DELIVERY, "loss_ratio"),
    "half of what numbers tell": removed(*DELIVERY, "late"),
    "more lost than all": replaced(1.5, *DELIVERY, "loss_ratio"),
    "empty interval": replaced(0, *RESULT, "intervals", 0, "seconds"),
    "check without a verdict": removed(*RESULT, "checks", 0, "ok"),
    "verdict as text": replaced("yes", *RESULT, "checks", 0, "ok"),
    "figure as text": replaced({"messages": "1"}, *RESULT, "checks", 0, "figures"),
    "share of more than all": replaced(1.5, *first("shared_window"), "shared_window", "share"),
    "offset without its error": removed(*first("clock_offset"), "clock_offset", "error_seconds"),
    "run 0": replaced(0, *RESULT, "run"),
    "repetition of one run": replaced([{"runs": 1}], "repetitions"),
    "counters of nobody": replaced({"peer": {"x": 1}}, *RESULT, "counters"),
    "processor time of nobody": replaced({}, *COST[:-1]),
    "processor time without the time it is of": removed(*COST, "elapsed_seconds"),
    "negative processor time": replaced(-1.0, *COST, "process_user_seconds"),
    "extra key in processor time": replaced(1.0, *COST, "idle_seconds"),
    "bound of an unknown cause": replaced("switch", *BOUNDS, "limits", 0, "name"),
    "bound that says nothing": removed(*BOUNDS, "limits", 0, "text"),
    "no bounds": replaced([], *BOUNDS, "limits"),
    "share of no bound": removed(*BOUNDS, "lowest"),
    "no lanes": replaced(0, "hosts", 0, "device", "pcie", "lanes"),
    "fractional counter": replaced({"x": 0.5}, *RESULT, "counters", "client"),
}


class SchemaTest(SchemaChecks, unittest.TestCase):
    schema = SCHEMA
    documents = GOLDEN


class GoldenTest(unittest.TestCase):
    def test_exist(self):
        self.assertGreaterEqual(len(GOLDEN), 4)

    def test_are_json_without_nan(self):
        for path in pathlib.Path("report/testdata").glob("*.json"):
            with self.subTest(path=path.name):
                json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse_constant)

    def test_have_the_order_of_the_schema(self):
        document = GOLDEN["partial"]
        known = [key for key in SCHEMA["properties"] if key in document]
        self.assertEqual(list(document), known)
        order = SCHEMA["$defs"]["result"]["properties"]
        for result in GOLDEN["complete"]["results"]:
            self.assertEqual(list(result), [key for key in order if key in result])

    def test_show_every_key_of_the_schema(self):
        """A key that nothing writes is a promise that nothing keeps."""
        seen = keys_in(list(GOLDEN.values()))
        for name, definition in objects(SCHEMA).items():
            with self.subTest(object=name):
                self.assertEqual(set(definition["properties"]) - seen, set())


class BrokenTest(unittest.TestCase):
    def test_are_refused(self):
        for name, change in BREAKS.items():
            with self.subTest(name):
                document = copy.deepcopy(GOLDEN["complete"])
                change(document)
                self.assertNotEqual(errors_in(document, SCHEMA), [])

    def test_failed_report_has_no_results(self):
        document = GOLDEN["failed"] | {"results": GOLDEN["complete"]["results"]}
        self.assertNotEqual(errors_in(document, SCHEMA), [])


if __name__ == "__main__":
    unittest.main()
