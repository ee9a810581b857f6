"""The table for people, a line as each row ends, and the JSON document with every single figure."""

import dataclasses
import json
import os
import pathlib

import comparison_rows
import paired_ratio
from comparison_rows import Row
from paired_ratio import PairedRatio

UNITS = {"bw": ("Mb/s", 8 / 1e6), "lat": ("µs", 1e-3), "setup": ("s", 1e-9)}
BASE_UNITS = {"bw": "bytes_per_second", "lat": "median_ns", "setup": "wall_ns"}
NOT_JUDGED = "not judged"


@dataclasses.dataclass
class RowResult:
    row: Row
    pairs: list[dict]  # {"first", "ours", "theirs"}, with value and details of each side
    found: PairedRatio
    verdict: str


def ratio_of(pairs: list[dict]) -> PairedRatio:
    return paired_ratio.paired_ratio([(pair["ours"]["value"], pair["theirs"]["value"]) for pair in pairs])


def result_of(row: Row, pairs: list[dict], judged: bool) -> RowResult:
    found = ratio_of(pairs)
    verdict = paired_ratio.verdict(found, row.higher_is_better) if judged else NOT_JUDGED
    return RowResult(row, pairs, found, verdict)


def table_header() -> str:
    return laid_out("row", "pairs", "rdmabench", "perftest", "unit", "ratio", "95 % interval", "verdict")


def table_line(result: RowResult) -> str:
    unit, scale = UNITS[result.row.metric]
    found = result.found
    ours, theirs = (significant(value * scale) for value in (found.ours_median, found.theirs_median))
    ratio = f"{found.ratio:.3f}"
    interval = f"{found.low:.3f} … {found.high:.3f}" if found.has_interval else "too few pairs"
    return laid_out(result.row.name, str(found.pairs), ours, theirs, unit, ratio, interval, result.verdict)


def laid_out(row: str, pairs: str, ours: str, theirs: str, unit: str, ratio: str, interval: str, verdict: str) -> str:
    return f"{row:<18} {pairs:>5} {ours:>10} {theirs:>10} {unit:<5} {ratio:>6}  {interval:<15} {verdict}"


def significant(value: float) -> str:
    """Four digits, without an exponent."""
    return f"{value:.0f}" if value >= 1000 else f"{value:#.4g}".rstrip(".")


def settings_of(row: Row) -> dict:
    """All of the row, with the clients' commands."""
    commands = {"ours": " ".join(row.ours("PORT")), "theirs": " ".join([*row.theirs("PORT"), comparison_rows.HOST])}
    known = {name: value for name, value in dataclasses.asdict(row).items() if value is not None}
    return known | {"commands": commands}


def document(context: dict, results: list[RowResult], failures: list[str]) -> dict:
    return context | {
        "limits": {
            "lowest_bandwidth_ratio": paired_ratio.LOWEST_BANDWIDTH_RATIO,
            "highest_latency_ratio": paired_ratio.HIGHEST_LATENCY_RATIO,
        },
        "failures": failures,
        "rows": [row_document(result) for result in results],
    }


def row_document(result: RowResult) -> dict:
    found = result.found
    return {
        "row": result.row.name,
        "settings": settings_of(result.row),
        "unit": BASE_UNITS[result.row.metric],
        "ours_median": found.ours_median,
        "theirs_median": found.theirs_median,
        "ratio": found.ratio,
        **(
            {"ci95_low_ratio": found.low, "ci95_high_ratio": found.high, "precision": found.precision}
            if found.has_interval
            else {}
        ),
        "verdict": result.verdict,
        "pairs": result.pairs,
    }


def write(path: pathlib.Path, content: dict) -> None:
    """Whole or not at all."""
    replacement = path.with_name(path.name + ".new")
    replacement.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(replacement, path)
