"""scripts/compare_perftest without a lab: what it reads from recorded outputs, what it computes, what it prints."""

import contextlib
import dataclasses
import datetime
import importlib.machinery
import importlib.util
import json
import math
import pathlib
import random
import signal
import statistics
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parent


def load_script():
    """The script as a module; it also makes its own modules known."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("compare_perftest", str(SCRIPTS / "compare_perftest"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_perftest", loader))
    loader.exec_module(module)
    return module


SCRIPT = load_script()

import comparison  # noqa: E402  (found only after the line above)
import comparison_report  # noqa: E402
import comparison_rows  # noqa: E402
import paired_ratio  # noqa: E402
import program_output  # noqa: E402
import program_runs  # noqa: E402
from program_output import Figures, UnfitOutput  # noqa: E402

ROWS = {row.name: row for row in [*comparison_rows.rows(), comparison_rows.SETUP]}

# Recorded from perftest 4.5 between two hosts of the lab; rules and addresses are left out.
HEAD = """\
Device not recognized to implement inline feature. Disabling it
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : rxe0
 Number of qps   : 1		Transport type : IB
 TX depth        : 128
 CQ Moderation   : 32
 Mtu             : 1024[B]
 GID index       : 1
"""
SMALL = HEAD + """\
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 64         5120             0.00               0.18  \t\t   0.002987
"""
SMALL_IN_GBITS = HEAD + """\
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 64         5120           0.000000            0.003028            0.005914
"""
LARGE = HEAD.replace("qps   : 1", "qps   : 8").replace("depth        : 128", "depth        : 4").replace(": 32", ": 1") + """\
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      640              0.00               10.78  \t\t   0.000173
"""
# Two decimals are all there is from 0.1 Gb/s on.
LARGE_IN_GBITS = LARGE.replace("MB/sec", "Gb/sec").replace("10.78  \t\t   0.000173", "0.10   \t\t   0.000199")
ATOMIC = HEAD + """\
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 8          5120             0.00               0.06  \t\t   0.007438
"""
LATENCY = """\
 Number of qps   : 1		Transport type : IB
 TX depth        : 1
 Mtu             : 1024[B]
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    \
t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 2       400          367.77         69341.35      1498.30  \t       2888.06     \t3679.43\t\t35301.30 \t\t69341.35
"""
REFUSED = """\
Couldn't connect to a:22007
Unable to open file descriptor for socket connection Unable to init the socket connection
"""
BROKEN_OFF = SMALL.replace(" 64         5120 ", " Completion with error at client ")


@pytest.mark.parametrize(
    "row, text, bytes_per_second",
    [
        ("write_bw-64-q1", SMALL, 2987 * 64),  # the rate has more digits
        ("write_bw-64-q1", SMALL_IN_GBITS, 5914 * 64),
        ("write_bw-65536-q8", LARGE, 10.78 * 2**20),  # what 4.5 calls MB is MiB
        ("write_bw-65536-q8", LARGE.replace("MB/sec", "MiB/sec"), 10.78 * 2**20),
        ("write_bw-65536-q8", LARGE_IN_GBITS, 199 * 65536),
        ("fetch_add_bw-8-q1", ATOMIC, 7438 * 8),
    ],
)
def test_reads_bandwidth_from_the_column_with_more_digits(row, text, bytes_per_second):
    assert program_output.perftest_figures(ROWS[row], text).value == pytest.approx(bytes_per_second)


def test_reads_the_median_latency_and_keeps_the_other_columns():
    row = dataclasses.replace(ROWS["send_lat-2"], iterations=400)  # as the output has it
    figures = program_output.perftest_figures(row, LATENCY)
    assert figures.value == 1498300
    assert figures.details["t_avg[usec]"] == 2888.06
    assert figures.details["99.9% percentile[usec]"] == 69341.35


def test_reads_past_a_remark_between_header_and_figures():
    remark = "Conflicting CPU frequency values detected: 2400.000000 != 2900.000000. CPU Frequency is not max.\n 64 "
    assert program_output.perftest_figures(ROWS["write_bw-64-q1"], SMALL.replace(" 64 ", remark, 1)).value == 2987 * 64


@pytest.mark.parametrize("text", ["", REFUSED, HEAD, BROKEN_OFF, SMALL.replace("#bytes", "bytes")])
def test_refuses_output_without_figures(text):
    with pytest.raises(UnfitOutput, match="no line of results"):
        program_output.perftest_figures(ROWS["write_bw-64-q1"], text)


@pytest.mark.parametrize(
    "asked, ran, says",
    [
        ("1024[B]", "4096[B]", "with Mtu 4096, asked for was 1024"),
        ("5120", "5000", "#iterations 5000"),
        ("depth        : 128", "depth        : 64", "TX depth 64"),
        ("Moderation   : 32", "Moderation   : 100", "CQ Moderation 100"),
        ("qps   : 1", "qps   : 2", "Number of qps 2"),
        ("CQ Moderation", "CQ Mod", "no 'CQ Moderation'"),
        ("0.002987", "0.000000", "printed 0"),
        ("average[MB/sec]", "average[GB/sec]", "in GB/sec, which is not known"),
    ],
)
def test_refuses_a_run_with_other_settings_or_units(asked, ran, says):
    changed = SMALL.replace(asked, ran).replace("0.18", "0.00" if ran == "0.000000" else "0.18")
    with pytest.raises(UnfitOutput) as refused:
        program_output.perftest_figures(ROWS["write_bw-64-q1"], changed)
    assert says in str(refused.value)


def report(row, **figures):
    """What rdmabench writes, as far as it is read."""
    effective = {"mtu_bytes": 1024, "inline_used": False, "iterations_per_queue_pair": row.iterations}
    if row.metric == "bw":
        effective |= {"send_depth": row.depth, "signal_every": row.cq_mod}
    result = {"message_bytes": row.message_bytes, "queue_pairs": row.queue_pairs, "effective": effective}
    return {"status": "complete", "results": [result | figures]}


def test_reads_rdmabench_s_bandwidth():
    row = ROWS["write_bw-64-q8"]
    text = json.dumps(report(row, bandwidth={"bytes_per_second": 5e5, "messages_per_second": 7812.5}))
    figures = program_output.rdmabench_figures(row, text)
    assert (figures.value, figures.details["messages_per_second"]) == (5e5, 7812.5)


@pytest.mark.parametrize("name, basis", [("write_lat-2", "half_round_trip"), ("read_lat-2", "round_trip")])
def test_reads_rdmabench_s_median_latency_of_perftest_s_basis(name, basis):
    percentiles = [{"percent": 50, "ns": 1500000}, {"percent": 99.9, "ns": 4e6}]
    latency = {"basis": basis, "percentiles": percentiles, "mean_ns": 2e6, "histogram": [[1, 2, 3]]}
    figures = program_output.rdmabench_figures(ROWS[name], json.dumps(report(ROWS[name], latency=latency)))
    assert figures == Figures(1500000, {"basis": basis, "p50_ns": 1500000, "p99.9_ns": 4e6, "mean_ns": 2e6})
    latency["basis"] = "round_trip" if basis == "half_round_trip" else "half_round_trip"
    with pytest.raises(UnfitOutput, match="basis"):
        program_output.rdmabench_figures(ROWS[name], json.dumps(report(ROWS[name], latency=latency)))


UNFIT_REPORTS = {
    "no JSON": ("error: unknown test", "not what was expected"),
    "partial": ('{"status": "partial", "error": {"message": "stalled"}}', "partial: stalled"),
    "no results": ('{"status": "complete", "results": []}', "not what was expected"),
    "no latency": (json.dumps(report(ROWS["send_lat-2"])), "KeyError('latency')"),
    "no median": (json.dumps(report(ROWS["send_lat-2"], latency={"basis": "half_round_trip"})), "KeyError('percentiles')"),
    "no median either": (json.dumps(report(ROWS["send_lat-2"], latency={"basis": "half_round_trip", "percentiles": []})), "KeyError('p50_ns')"),
}


@pytest.mark.parametrize("text, says", UNFIT_REPORTS.values(), ids=UNFIT_REPORTS.keys())
def test_refuses_a_report_without_the_figure(text, says):
    with pytest.raises(UnfitOutput) as refused:
        program_output.rdmabench_figures(ROWS["send_lat-2"], text)
    assert says in str(refused.value)


@pytest.mark.parametrize("row", comparison_rows.rows(), ids=lambda row: row.name)
def test_gives_both_programs_the_same_settings(row):
    ours, theirs = row.ours(1), row.theirs(1)
    for option in ("-s", "-n", "-q", "-t", "-Q", "-o", "-m", "-u"):
        assert (option in ours) == (option in theirs)
        if option in ours:
            assert ours[ours.index(option) + 1] == theirs[theirs.index(option) + 1]
    assert row.metric == "lat" or row.iterations % row.cq_mod == 0  # rdmabench would round it up


def test_names_each_row_once_and_finds_it_by_pattern():
    assert len(ROWS) == len(comparison_rows.rows()) + 1
    assert [row.name for row in comparison_rows.chosen("write_bw-*-q1", False)] == ["write_bw-64-q1", "write_bw-65536-q1"]
    assert comparison_rows.chosen("setup*", False) == []
    assert comparison_rows.chosen("setup*", True) == [comparison_rows.SETUP]


# Of the sorted means of two, as tables of Wilcoxon's signed-rank test have it (5 %, two-sided, less one pair's 0).
@pytest.mark.parametrize("pairs, cut", [(2, -1), (5, -1), (6, 0), (7, 2), (8, 3), (10, 8), (20, 52), (50, 434)])
def test_knows_the_signed_rank_distribution(pairs, cut):
    assert paired_ratio.outside(pairs) == cut


def test_has_the_median_of_the_pairs_ratios_with_its_interval():
    found = paired_ratio.paired_ratio([(2, 1), (8, 1), (20, 5)])
    assert (found.pairs, found.ours_median, found.theirs_median) == (3, 8, 1)
    assert (found.ratio, found.low, found.high) == (pytest.approx(4), 0, math.inf)
    found = paired_ratio.paired_ratio([(2**power, 1) for power in range(6)])
    assert (found.ratio, found.low, found.high) == pytest.approx((2**2.5, 1, 32))
    assert found.precision == pytest.approx(math.sqrt(32) - 1)


def test_is_not_led_astray_by_a_pair_during_which_the_machine_was_slow():
    even = [(1 + index / 100, 1) for index in range(-10, 11)]
    found = paired_ratio.paired_ratio([*even, (1, 50)])
    assert (found.ratio, found.low, found.high) == pytest.approx((0.99, 0.96, 1.025), abs=0.015)


def test_covers_the_true_ratio_as_often_as_it_says():
    source = random.Random(1)

    def covers():
        logs = [source.gauss(0, 0.1) + (source.choice((-0.5, 0.5)) if source.random() < 0.1 else 0) for _ in range(20)]
        found = paired_ratio.paired_ratio([(math.exp(log), 1) for log in logs])
        return found.low <= 1 <= found.high

    assert 0.93 < statistics.fmean(covers() for _ in range(1000)) < 0.97


def test_compares_within_pairs_so_that_what_both_sides_meet_drops_out():
    found = paired_ratio.paired_ratio([(1.1, 1), (11, 10), (110, 100)] * 2)
    assert (found.low, found.high) == pytest.approx((1.1, 1.1))


@pytest.mark.parametrize(
    "low, high, higher_is_better, verdict",
    [(0.96, 1.2, True, "ok"), (0.95, 1.2, True, "BELOW"), (0.8, 1.04, False, "ok"), (0.8, 1.05, False, "ABOVE")],
)
def test_judges_by_the_worse_end_of_the_interval(low, high, higher_is_better, verdict):
    assert paired_ratio.verdict(paired_ratio.PairedRatio(10, 1, 1, 1, low, high), higher_is_better) == verdict


def pairs(*values):
    return [{"first": "ours", "ours": {"value": ours}, "theirs": {"value": theirs}} for ours, theirs in values]


def test_prints_a_line_below_each_heading():
    result = comparison_report.result_of(ROWS["read_lat-4096"], pairs(*[(1.2e6, 1e6)] * 6), judged=True)
    line = comparison_report.table_line(result)
    assert line.split() == ["read_lat-4096", "6", "1200", "1000", "µs", "1.200", "1.200", "…", "1.200", "ABOVE"]
    assert line.index("ABOVE") == comparison_report.table_header().index("verdict")


def test_prints_no_interval_of_too_few_pairs():
    result = comparison_report.result_of(ROWS["read_lat-4096"], pairs((1.2e6, 1e6), (1.2e6, 1e6)), judged=False)
    assert comparison_report.table_line(result).split()[5:] == ["1.200", "too", "few", "pairs", "not", "judged"]
    assert "ci95_low_ratio" not in comparison_report.row_document(result)


DIGITS = [(0.25601, "0.2560"), (2.1, "2.100"), (81.564, "81.56"), (999.96, "1000"), (12345.6, "12346")]


@pytest.mark.parametrize("value, text", DIGITS)
def test_prints_four_digits(value, text):
    assert comparison_report.significant(value) == text


class Side:
    """Measures nothing: gives the values in turn, or raises them."""

    def __init__(self, name, calls, *values):
        self.name, self.calls, self.values = name, calls, list(values)

    def __call__(self, _row):
        self.calls.append(self.name)
        value = self.values.pop(0) if self.values else 1
        if isinstance(value, Exception):
            raise value
        return Figures(value, {})


def test_alternates_which_side_is_first():
    calls = []
    ours, theirs = Side("ours", calls), Side("theirs", calls)
    found = comparison.pairs_of(ROWS["write_lat-2"], ours, theirs, comparison.Extent(4, 4, 0))
    assert calls == ["ours", "theirs", "theirs", "ours"] * 2
    assert [pair["first"] for pair in found] == ["ours", "theirs"] * 2


# An outlier has a share in as many means as there are pairs, which is more than lie outside of up to eleven.
@pytest.mark.parametrize("values, count", [([1] * 10, 10), ([1, 2] * 10, 20), ([1] * 9 + [4] + [1] * 10, 12)])
def test_goes_on_until_the_interval_is_narrow(values, count):
    found = comparison.pairs_of(
        ROWS["write_lat-2"], Side("ours", [], *values), Side("theirs", []), comparison.Extent(10, 20, 0.04)
    )
    assert len(found) == count


def test_gives_the_setup_row_fewer_pairs_unless_their_number_was_asked_for():
    adaptive, exact = comparison.Extent(10, 80, 0.03), comparison.Extent(12, 12, 0)
    setup, other = comparison_rows.SETUP, ROWS["write_lat-2"]
    assert comparison.Comparison([setup], adaptive, True).extent_for(setup) == comparison.SETUP_EXTENT
    assert comparison.Comparison([setup], exact, True).extent_for(setup) == exact
    assert comparison.Comparison([other], adaptive, True).extent_for(other) == adaptive


def test_does_not_count_the_first_wall_times():
    calls = []
    found = comparison.pairs_of(comparison_rows.SETUP, Side("ours", calls, 9), Side("theirs", calls, 9), comparison.Extent(2, 2, 0))
    assert [(pair["ours"]["value"], pair["theirs"]["value"]) for pair in found] == [(1, 1), (1, 1)]


def test_tries_a_failed_run_once_more(capsys):
    failure = program_runs.RunFailed("rdmabench …: exit status 1")
    assert comparison.measured(Side("ours", [], failure, 7), ROWS["write_lat-2"], "ours").value == 7
    assert "write_lat-2, ours failed and is tried again: rdmabench" in capsys.readouterr().err
    with pytest.raises(program_runs.RunFailed, match="write_lat-2: theirs failed twice: rdmabench …: exit status 1"):
        comparison.measured(Side("theirs", [], failure, failure), ROWS["write_lat-2"], "theirs")


def test_says_what_a_failed_run_printed():
    done = program_runs.Done(2, "some output\n", "error: unknown test 'send_lat'\n")
    with pytest.raises(program_runs.RunFailed, match="(?s)rdmabench send_lat: exit status 2.some output.error: unknown"):
        program_runs.checked(["rdmabench", "send_lat"], done, lambda done: None)


def test_ends_the_process_that_an_error_leaves_behind():
    with contextlib.suppress(KeyError), program_runs.process(["sleep", "600"], subprocess.DEVNULL, subprocess.DEVNULL) as child:
        raise KeyError
    assert child.returncode == -signal.SIGTERM


def compared(judged, *results):
    rows = [ROWS["write_bw-64-q1"]]
    return comparison.Comparison(rows, comparison.Extent(10, 10, 0), judged, [comparison_report.result_of(rows[0], r, judged) for r in results])


GOOD, BAD = pairs(*[(1, 1)] * 6), pairs(*[(1, 2)] * 6)


OUTCOMES = [(True, [GOOD], 0), (True, [BAD], 4), (False, [BAD], 0), (True, [], 1)]


@pytest.mark.parametrize("judged, results, status", OUTCOMES)
def test_has_an_exit_status_for_each_outcome(judged, results, status):
    assert compared(judged, *results).status() == status


def test_writes_every_single_figure(tmp_path):
    options = SCRIPT.parse(["--json", str(tmp_path / "out.json")])
    started = datetime.datetime(2025, 6, 1, tzinfo=datetime.timezone.utc)
    SCRIPT.write_json(options, started, compared(True, BAD))
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    row = document["rows"][0]
    assert (document["started_at"], document["complete"]) == ("2025-06-01T00:00:00+00:00", True)
    assert (row["row"], row["verdict"], row["unit"]) == ("write_bw-64-q1", "BELOW", "bytes_per_second")
    assert row["settings"]["commands"]["theirs"].startswith("ib_write_bw -s 64 -n 5120")
    assert row["pairs"] == BAD
    assert list(tmp_path.iterdir()) == [tmp_path / "out.json"]


MISTAKES = ["--pairs 9", "--quick --pairs 10", "--precision 0", "--precision 2 --pairs 10", "--quick --precision 2", "--rows none", "--rows setup*", "--json no/such/file"]


@pytest.mark.parametrize("arguments", map(str.split, MISTAKES), ids=MISTAKES)
def test_refuses_what_it_cannot_do_before_a_lab_is_up(arguments, capsys):
    with pytest.raises(SystemExit) as leave:
        SCRIPT.main(arguments)
    assert leave.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_lists_the_rows_as_a_program():
    done = subprocess.run([SCRIPTS / "compare_perftest", "--list", "--setup"], capture_output=True, text=True, check=True)
    assert [line for line in done.stdout.splitlines() if not line.startswith(" ")] == list(ROWS)


def test_lists_into_a_pipe_that_is_closed_without_a_word():
    script = subprocess.Popen([SCRIPTS / "compare_perftest", "--list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    script.stdout.close()
    assert script.stderr.read() == ""
    assert script.wait(timeout=60) in (0, -signal.SIGPIPE)
