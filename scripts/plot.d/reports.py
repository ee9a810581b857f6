"""Reports of rdmabench: how they are read, and the words about them that a figure has."""

import dataclasses
import json
import math

SCHEMA_VERSION = 2
RANKS = {  # what tells the run in the middle
    "bandwidth": lambda bandwidth: bandwidth["bytes_per_second"],
    "latency": lambda latency: latency["mean_ns"],
    "open_loop": lambda open_loop: open_loop["response"]["mean_ns"],
}


class UnfitFile(Exception):
    """A file that cannot be read as a report, or not be written."""


class NothingToDraw(Exception):
    """Reports without any bandwidth or latency."""


@dataclasses.dataclass
class Series:
    traits: dict  # what tells it from the others, by name
    points: list


def printable(text):
    return "".join(c if c.isprintable() else "�" for c in str(text))


def load(path):
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnfitFile(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UnfitFile(f"{path} is not JSON: {error}") from error
    if not isinstance(document, dict) or "schema_version" not in document:
        raise UnfitFile(f"{path} is not a report of rdmabench: no schema_version")
    version = document["schema_version"]
    if version != SCHEMA_VERSION:
        raise UnfitFile(
            f"{path} has schema_version {version!r}; known is {SCHEMA_VERSION}"
        )
    return document


def number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} where a number belongs")
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{value!r} where a count or rate belongs")
    return value


def host_name(report, index):
    hosts = report["hosts"]
    return printable(hosts[index]["name"]) if 0 <= index < len(hosts) else "unknown"


def direction_of(report, result):
    return f"{host_name(report, result['from'])} → {host_name(report, result['to'])}"


def middle_runs(results, key):
    """Those that have `key`; of several runs of one test and size the one in the middle."""
    groups = {}
    for index, result in enumerate(results):
        if key in result:
            same = (result["plan_index"], result["message_bytes"]) if "run" in result else index
            groups.setdefault(same, []).append(result)
    for runs in groups.values():
        runs.sort(key=lambda result: number(RANKS[key](result[key])))
    return [runs[(len(runs) - 1) // 2] for runs in groups.values()]


def series_of(stem, report, key, point_of):
    """The report's results that have `key`, sorted into series that differ in size only."""
    series = {}
    for result in middle_runs(report["results"], key):
        traits = {
            "report": stem,
            "test": printable(result["test"]),
            "qp_type": printable(result["qp_type"]),
            "queue_pairs": f"{number(result['queue_pairs'])} QP",
            "direction": direction_of(report, result),
        }
        group = (result["plan_index"], *traits.values())
        series.setdefault(group, Series(traits, [])).points.append(point_of(result))
    for one in series.values():
        one.points.sort(key=lambda point: point.message_bytes)
    return list(series.values())


def labels_of(series):
    """What the series differ in; where that is nothing, the test."""
    names = list(series[0].traits)
    differing = [n for n in names if len({one.traits[n] for one in series}) > 1]
    shown = differing or ["test"]
    return [", ".join(one.traits[n] for n in shown) for one in series]


def agreed(values, otherwise):
    """The one value that all have, or `otherwise`."""
    return values[0] if len(set(values)) == 1 else otherwise


def device_text(host):
    device = host.get("device")
    if not device:
        return ""
    driver = f" ({device['driver']})" if "driver" in device else ""
    return printable(device["name"] + driver)


def title_of(reports, series):
    several = "several hosts"
    direction = agreed([one.traits["direction"] for one in series], several)
    if direction == several and len(reports) == 1:
        direction = " ↔ ".join(printable(host["name"]) for host in reports[0]["hosts"])
    tests = [agreed([one.traits[name] for one in series], "") for name in ("test", "qp_type")]
    first = " · ".join(text for text in (direction, *tests) if text)
    devices = [
        tuple(device_text(host) for host in report["hosts"]) for report in reports
    ]
    names = [name for name in dict.fromkeys(agreed(devices, ())) if name]
    return first, " → ".join(names)


def footer_of(reports):
    lines = []
    drivers = {
        host.get("device", {}).get("driver")
        for report in reports
        for host in report["hosts"]
    }
    if "rdma_rxe" in drivers:
        lines.append(
            "Soft-RoCE under emulation (rdma_rxe): functional figures, ratios only"
        )
    if any(
        "ci95_low_bytes_per_second" in result.get("bandwidth", {})
        for report in reports
        for result in report["results"]
    ):
        lines.append("Bars: 95 % confidence interval of the mean")
    if any("run" in result for report in reports for result in report["results"]):
        lines.append("Of several runs the one in the middle")
    partial = sum(report["status"] != "complete" for report in reports)
    if partial:
        lines.append(
            "The run ended early" if len(reports) == 1 else f"{partial} runs ended early"
        )
    return " · ".join(lines)
