"""Measures rows in pairs: ours and theirs, theirs and ours, ours and theirs …, so that neither has the better half."""

import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

import comparison_report
import program_runs
from comparison_report import RowResult
from comparison_rows import Row
from interruption import heed_signals, ignore_signals
from program_output import Figures
from program_runs import LAB, ComparisonFailed, RunFailed

UP_SECONDS, DOWN_SECONDS, STATUS_SECONDS, INSTALL_SECONDS = 600, 120, 60, 1800

Measure = Callable[[Row], Figures]


def install_perftest(scripts: pathlib.Path) -> None:
    """Before the lab comes up: its hosts see this machine's files as they were then."""
    if shutil.which("ib_atomic_lat"):
        return
    done = subprocess.run([scripts / "setup", "--packages-only"], timeout=INSTALL_SECONDS, check=False)
    if done.returncode != 0:
        raise ComparisonFailed("perftest is missing and could not be installed")


def lab_status() -> subprocess.CompletedProcess:
    return subprocess.run([LAB, "status"], capture_output=True, text=True, timeout=STATUS_SECONDS, check=False)


@contextlib.contextmanager
def lab(link: str) -> Iterator[None]:
    """The user's, when RDMABENCH_LAB names one that is up; else one of this run's own with this kind of link."""
    if "RDMABENCH_LAB" in os.environ and (status := lab_status()).returncode == 0:
        if f"link {link}" not in status.stdout:
            print(f"compare_perftest: these rows are meant for a lab with --link {link}", file=sys.stderr)
        yield
        return
    with tempfile.TemporaryDirectory(prefix="rdmabench-compare-", ignore_cleanup_errors=True) as folder:
        os.environ["RDMABENCH_LAB"] = folder
        try:
            # Ended early, it takes down what is up already.
            with program_runs.process([LAB, "up", "--link", link], sys.stderr, None) as up:
                if up.wait(timeout=UP_SECONDS) != 0:
                    raise ComparisonFailed("the lab did not come up")
            yield
        finally:
            ignore_signals()
            # Out of reach of the terminal's Ctrl-C, which goes to all processes in the foreground.
            subprocess.run([LAB, "down"], stdout=sys.stderr, timeout=DOWN_SECONDS, check=False, start_new_session=True)
            heed_signals()


def versions() -> dict:
    ours = program_runs.run(program_runs.CLIENT_HOST, ["rdmabench", "--version"]).stdout.strip()
    theirs = program_runs.run(program_runs.CLIENT_HOST, ["ib_write_bw", "--version"]).stdout.strip()
    query = ["dpkg-query", "-W", "-f", "${Version}", "perftest"]
    package = subprocess.run(query, capture_output=True, text=True, timeout=STATUS_SECONDS, check=False).stdout.strip()
    kernel = program_runs.run(program_runs.CLIENT_HOST, ["uname", "-srm"]).stdout.strip()
    link = lab_status().stdout.partition("\n")[0]
    return {"rdmabench": ours, "perftest": f"{package} ({theirs})", "kernel": kernel, "lab": link}


def measured(measure: Measure, row: Row, side: str) -> Figures:
    """A run that fails is tried once more."""
    try:
        return measure(row)
    except RunFailed as first:
        print(f"compare_perftest: {row.name}, {side} failed and is tried again: {first}", file=sys.stderr)
    try:
        return measure(row)
    except RunFailed as second:
        raise RunFailed(f"{row.name}: {side} failed twice: {second}") from second


@dataclasses.dataclass(frozen=True)
class Extent:
    """How many pairs a row gets: until its interval is narrow enough. What the ratio is plays no part in that."""

    fewest: int
    most: int
    precision: float  # see PairedRatio

    def suffices(self, pairs: list[dict]) -> bool:
        if len(pairs) < self.fewest:
            return False
        return len(pairs) >= self.most or comparison_report.ratio_of(pairs).precision <= self.precision


SETUP_EXTENT = Extent(fewest=6, most=10, precision=0.1)  # a pair of these takes long


def pairs_of(row: Row, ours: Measure, theirs: Measure, extent: Extent) -> list[dict]:
    sides = {"ours": ours, "theirs": theirs}
    if row.metric == "setup":
        # The first run of a program reads it from this machine's disk; in a wall time that would be counted.
        for side, measure in sides.items():
            measured(measure, row, side)
    pairs: list[dict] = []
    while not extent.suffices(pairs):
        order = ("ours", "theirs") if len(pairs) % 2 == 0 else ("theirs", "ours")
        figures = {side: dataclasses.asdict(measured(sides[side], row, side)) for side in order}
        pairs.append({"first": order[0], "ours": figures["ours"], "theirs": figures["theirs"]})
    return pairs


@dataclasses.dataclass
class Comparison:
    rows: list[Row]
    extent: Extent
    judged: bool
    results: list[RowResult] = dataclasses.field(default_factory=list)
    failures: list[str] = dataclasses.field(default_factory=list)
    versions: dict = dataclasses.field(default_factory=dict)  # by the lab's link

    def run(self) -> None:
        """All rows, link by link; one that fails does not keep the others from being measured."""
        print(comparison_report.table_header(), flush=True)
        for link in dict.fromkeys(row.link for row in self.rows):
            with lab(link), contextlib.ExitStack() as stack:
                self.versions[link] = versions()
                ours, theirs = program_runs.Rdmabench(stack), program_runs.Perftest()
                for row in self.rows:
                    if row.link == link:
                        self._compare(row, ours.measure, theirs.measure)

    def _compare(self, row: Row, ours: Measure, theirs: Measure) -> None:
        try:
            pairs = pairs_of(row, ours, theirs, self.extent_for(row))
        except RunFailed as error:
            self.failures.append(str(error))
            print(f"compare_perftest: {error}", file=sys.stderr)
            return
        self.results.append(comparison_report.result_of(row, pairs, self.judged))
        print(comparison_report.table_line(self.results[-1]), flush=True)

    def extent_for(self, row: Row) -> Extent:
        is_exact = self.extent.fewest == self.extent.most
        return SETUP_EXTENT if row.metric == "setup" and not is_exact else self.extent

    def status(self) -> int:
        if self.failures or len(self.results) < len(self.rows):
            return 1
        worse = self.judged and any(result.verdict != "ok" for result in self.results)
        return 4 if worse else 0
