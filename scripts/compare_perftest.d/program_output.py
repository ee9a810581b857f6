"""Reads what the two programs print: perftest's table, and rdmabench's report."""

import dataclasses
import json
import re

from comparison_rows import MTU_BYTES, Row

COLUMN = re.compile(r"#\w+|(?:[\w.%]+ )?[\w.%]+\[[\w/]+\]")
# What perftest 4.5 calls MB is 2^20 bytes; later versions call it MiB.
BYTES_OF_UNIT = {"MB/sec": 2**20, "MiB/sec": 2**20, "Gb/sec": 1e9 / 8}


class UnfitOutput(Exception):
    """Output without the figure, or of a run with other settings than asked for."""


@dataclasses.dataclass
class Figures:
    value: float  # what is compared: bytes per second, or nanoseconds
    details: dict  # the program's own figures, by its own names


def perftest_table(text: str) -> dict[str, str]:
    """The columns of the one line of results, as they are printed."""
    columns: list[str] = []
    for line in text.splitlines():
        values = line.split()
        if line.lstrip().startswith("#bytes"):
            columns = COLUMN.findall(line)
        elif columns and len(values) == len(columns) and all(map(is_number, values)):
            return dict(zip(columns, values))
    raise UnfitOutput("perftest printed no line of results")


def is_number(text: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", text) is not None


def perftest_setting(text: str, name: str) -> int:
    found = re.search(rf"{re.escape(name)}\s*: (\d+)", text)
    if not found:
        raise UnfitOutput(f"perftest printed no '{name}'")
    return int(found[1])


def perftest_figures(row: Row, text: str) -> Figures:
    table = perftest_table(text)
    iterations = row.iterations * (row.queue_pairs if row.metric == "bw" else 1)
    expected = {"#bytes": row.message_bytes, "#iterations": iterations, "Mtu": MTU_BYTES}
    found = {"#bytes": int(table["#bytes"]), "#iterations": int(table["#iterations"])}
    found["Mtu"] = perftest_setting(text, "Mtu")
    if row.metric == "bw":
        expected |= {"Number of qps": row.queue_pairs, "TX depth": row.depth, "CQ Moderation": row.cq_mod}
        found |= {name: perftest_setting(text, name) for name in ("Number of qps", "TX depth", "CQ Moderation")}
    if row.outstanding_reads:
        expected["Outstand reads"] = row.outstanding_reads
        found["Outstand reads"] = perftest_setting(text, "Outstand reads")
    same_or_raise("perftest", expected, found)
    value = perftest_bandwidth(table) if row.metric == "bw" else float(table["t_typical[usec]"]) * 1000
    return Figures(positive("perftest", value), {name: float(value) for name, value in table.items()})


def perftest_bandwidth(table: dict[str, str]) -> float:
    """Bytes per second, from the one of the two columns that is printed with more digits."""
    average, unit = next((value, name[11:-1]) for name, value in table.items() if name.startswith("BW average["))
    if unit not in BYTES_OF_UNIT:
        raise UnfitOutput(f"perftest printed its bandwidth in {unit}, which is not known here")
    rate = table["MsgRate[Mpps]"]
    if relative_step(average) <= relative_step(rate):
        return float(average) * BYTES_OF_UNIT[unit]
    return float(rate) * 1e6 * int(table["#bytes"])


def relative_step(number: str) -> float:
    """One in the last printed digit, as a share of the number."""
    step = 10.0 ** -len(number.partition(".")[2])
    return step / float(number) if float(number) > 0 else float("inf")


def rdmabench_result(text: str) -> dict:
    try:
        report = json.loads(text)
        if report["status"] != "complete":
            raise UnfitOutput(f"rdmabench's run is {report['status']}: {report.get('error', {}).get('message')}")
        return report["results"][0]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise UnfitOutput(f"rdmabench's report is not what was expected: {error!r}") from error


def rdmabench_figures(row: Row, text: str) -> Figures:
    result = rdmabench_result(text)
    try:
        effective = result["effective"]
        expected = {"message_bytes": row.message_bytes, "mtu_bytes": MTU_BYTES, "inline_used": False}
        expected |= {"queue_pairs": row.queue_pairs, "iterations": row.iterations}
        found = {name: result[name] for name in ("message_bytes", "queue_pairs")}
        found |= {name: effective[name] for name in ("mtu_bytes", "inline_used")}
        found["iterations"] = effective["iterations_per_queue_pair"]
        if row.outstanding_reads:
            expected["read_depth"] = row.outstanding_reads
            found["read_depth"] = effective["read_depth"]
        if row.metric == "bw":
            expected |= {"send_depth": row.depth, "signal_every": row.cq_mod}
            found |= {name: effective[name] for name in ("send_depth", "signal_every")}
            same_or_raise("rdmabench", expected, found)
            value = result["bandwidth"]["bytes_per_second"]
            return Figures(positive("rdmabench", value), result["bandwidth"])
        same_or_raise("rdmabench", expected | {"basis": row.latency_basis}, found | {"basis": result["latency"]["basis"]})
        latency = {name: value for name, value in result["latency"].items() if name not in ("histogram", "percentiles")}
        latency |= {f"p{one['percent']:g}_ns": one["ns"] for one in result["latency"]["percentiles"]}
        return Figures(positive("rdmabench", latency["p50_ns"]), latency)
    except (KeyError, TypeError) as error:
        raise UnfitOutput(f"rdmabench's report is not what was expected: {error!r}") from error


def setup_figures(stderr: str) -> Figures:
    """The wall time that timed() of program_runs.py has the host's shell print last."""
    found = re.findall(r"^wall_ns (\d+)$", stderr, re.MULTILINE)
    if not found:
        raise UnfitOutput("the host printed no wall time")
    return Figures(positive("the host", int(found[-1])), {"wall_seconds": int(found[-1]) / 1e9})


def same_or_raise(program: str, expected: dict, found: dict) -> None:
    for name, value in expected.items():
        if found[name] != value:
            raise UnfitOutput(f"{program} ran with {name} {found[name]}, asked for was {value}")


def positive(program: str, value: float) -> float:
    if not value > 0:
        raise UnfitOutput(f"{program} printed {value}, of which there is no ratio")
    return value
