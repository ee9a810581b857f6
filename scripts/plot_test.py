"""scripts/plot on the golden reports of report/testdata, and on files that are none."""

import dataclasses
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parent
GOLDEN = SCRIPTS.parent / "report" / "testdata"


def load_script():
    """The script as a module, so that matplotlib has to start only once."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("plot", str(SCRIPTS / "plot"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("plot", loader))
    loader.exec_module(module)
    return module


SCRIPT = load_script()


@pytest.fixture(name="plot")
def plot_in_process(capsys):
    """Runs the script with these arguments: its exit status and what it said."""

    def run(*arguments):
        status = 0
        try:
            SCRIPT.main([str(argument) for argument in arguments])
        except SystemExit as leave:
            status = leave.code
            if isinstance(status, str):  # what sys.exit() does with a text
                print(status, file=sys.stderr)
                status = 1
        return Done(status, capsys.readouterr().err)

    return run


@dataclasses.dataclass
class Done:
    returncode: int
    stderr: str


def svg_of(plot, tmp_path, *reports):
    output = tmp_path / "out.svg"
    done = plot(*reports, "-o", output)
    assert (done.returncode, done.stderr) == (0, "")
    return output.read_text(encoding="utf-8")


@pytest.fixture(name="complete")
def complete_report():
    """Its bandwidths of one test: what goes into one picture."""
    report = json.loads((GOLDEN / "complete.json").read_text(encoding="utf-8"))
    report["results"] = [result for result in report["results"] if result["plan_index"] == 0]
    return report


def written(tmp_path, name, document):
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["complete", "partial", "hostile", "repeated"])
@pytest.mark.parametrize("suffix, magic", [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_draws_a_picture(plot, tmp_path, name, suffix, magic):
    output = tmp_path / f"out.{suffix}"
    done = plot(GOLDEN / f"{name}.json", "-o", output)
    assert done.returncode == 0, done.stderr
    assert output.read_bytes().startswith(magic)


def test_draws_the_run_in_the_middle():
    report = json.loads((GOLDEN / "repeated.json").read_text(encoding="utf-8"))
    (series,) = SCRIPT.series_of("x", report, "bandwidth", SCRIPT.bandwidth_panels.point_of)
    (point,) = series.points
    rates = sorted(result["bandwidth"]["messages_per_second"] for result in report["results"] if "bandwidth" in result)
    assert point.rate == rates[2]
    assert "middle" in SCRIPT.footer_of([report])


def test_runs_as_a_program(tmp_path):
    command = [SCRIPTS / "plot", GOLDEN / "failed.json", "-o", tmp_path / "out.png"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("plot: no bandwidth or latency in")


# The SVG has each text as a comment beside its glyphs.
def test_names_hosts_device_units_and_sizes(plot, tmp_path):
    svg = svg_of(plot, tmp_path, GOLDEN / "complete.json")
    for text in (
        "node-a → node-b",
        "mlx5_0 (mlx5_core)",
        "bandwidth (Gb/s)",
        "message rate (million messages/s)",
        "<!-- 64 -->",
        "<!-- 4 KiB -->",
        "<!-- 1 MiB -->",
        "95 % confidence interval",
    ):
        assert text in svg


def test_says_that_soft_roce_gives_functional_figures(plot, tmp_path):
    assert "functional figures" in svg_of(plot, tmp_path, GOLDEN / "partial.json")
    assert "functional figures" not in svg_of(plot, tmp_path, GOLDEN / "complete.json")


def test_says_that_a_run_ended_early(plot, tmp_path):
    assert "ended early" in svg_of(plot, tmp_path, GOLDEN / "partial.json")
    assert "ended early" not in svg_of(plot, tmp_path, GOLDEN / "complete.json")


def test_names_the_reports_when_there_are_several(plot, tmp_path, complete):
    first = written(tmp_path, "before", complete)
    second = written(tmp_path, "after", complete)
    svg = svg_of(plot, tmp_path, first, second)
    assert "<!-- before -->" in svg and "<!-- after -->" in svg


def test_names_what_the_series_of_one_report_differ_in(plot, tmp_path, complete):
    complete["results"][0]["queue_pairs"] = 8
    complete["results"][1]["qp_type"] = "uc"
    svg = svg_of(plot, tmp_path, written(tmp_path, "one", complete))
    assert "<!-- rc, 8 QP -->" in svg and "<!-- uc, 2 QP -->" in svg


def test_takes_a_dollar_sign_for_one(plot, tmp_path, complete):
    complete["hosts"][0]["name"] = "$a_b$"
    assert "$a_b$" in svg_of(plot, tmp_path, written(tmp_path, "dollar", complete))


@pytest.mark.parametrize("rates", [(2.1e6, 2.4e6), (1.5e6, 8e6), (3e3, 9e8)], ids=str)
def test_labels_its_axes_with_plain_numbers(plot, tmp_path, complete, rates):
    complete["results"] = complete["results"][: len(rates)]
    for result, rate in zip(complete["results"], rates):
        result["bandwidth"]["messages_per_second"] = rate
    assert "mathdefault" not in svg_of(plot, tmp_path, written(tmp_path, "rates", complete))


def test_draws_the_same_file_twice(plot, tmp_path):
    report = GOLDEN / "complete.json"
    assert svg_of(plot, tmp_path, report) == svg_of(plot, tmp_path, report)


def test_has_nothing_to_draw_without_results(plot, tmp_path):
    done = plot(GOLDEN / "failed.json", "-o", tmp_path / "out.png")
    assert done.returncode == 1
    assert "no bandwidth or latency in" in done.stderr
    assert not (tmp_path / "out.png").exists()


def latency(p50_ns, **more):
    """What a result of a latency test has instead of bandwidth."""
    percentiles = [{"percent": percent, "ns": ns} for percent, ns in ((50, p50_ns), (90, 2 * p50_ns), (99, 3 * p50_ns), (99.9, 10 * p50_ns))]
    histogram = [[p50_ns / 2, p50_ns, 6000], [p50_ns, 2 * p50_ns, 4000]]
    common = {"basis": "half_round_trip", "samples": 10000, "min_ns": p50_ns / 2, "max_ns": 20 * p50_ns}
    return common | {"mean_ns": p50_ns, "stdev_ns": 1, "percentiles": percentiles, "histogram": histogram} | more


def as_latency(result, test="write_lat", **more):
    """The same result, had it been of a latency test."""
    changed = {name: value for name, value in result.items() if name != "bandwidth"}
    return changed | {"test": test, "metric": "lat", "latency": latency(1000 + result["message_bytes"], **more)}


@pytest.fixture(name="latencies")
def latency_report(complete):
    complete["results"] = [as_latency(result) for result in complete["results"]]
    return complete


BY_SIZE, BY_PERCENTILE, DISTRIBUTION = "<!-- p99.9 -->", "<!-- percentile -->", "<!-- share of samples at or below -->"


def test_draws_latency_by_size_and_percentile_and_its_distribution(plot, tmp_path, latencies):
    svg = svg_of(plot, tmp_path, written(tmp_path, "latency", latencies))
    for text in (BY_SIZE, BY_PERCENTILE, DISTRIBUTION, "latency (µs), half a round trip", "<!-- 64 B -->", "<!-- 99.9 -->"):
        assert text in svg
    assert "bandwidth" not in svg


def test_draws_bandwidth_above_latency_when_a_report_has_both(plot, tmp_path, complete):
    complete["results"] += [as_latency(result) for result in complete["results"]]
    svg = svg_of(plot, tmp_path, written(tmp_path, "both", complete))
    assert 0 < svg.index("bandwidth (Gb/s)") < svg.index("message rate") < svg.index("half a round trip")


def test_draws_a_bandwidth_report_without_panels_of_latency(plot, tmp_path, complete):
    svg = svg_of(plot, tmp_path, written(tmp_path, "bandwidth", complete))
    assert not any(text in svg for text in ("latency", BY_SIZE, BY_PERCENTILE, DISTRIBUTION))


def test_draws_no_distribution_without_histograms(plot, tmp_path, latencies):
    for result in latencies["results"]:
        del result["latency"]["histogram"]
    svg = svg_of(plot, tmp_path, written(tmp_path, "bare", latencies))
    assert BY_PERCENTILE in svg and DISTRIBUTION not in svg


def test_draws_the_distribution_of_too_few_samples_for_percentiles(plot, tmp_path, latencies):
    for result in latencies["results"]:
        del result["latency"]["percentiles"]
    svg = svg_of(plot, tmp_path, written(tmp_path, "few", latencies))
    assert DISTRIBUTION in svg and BY_PERCENTILE not in svg and BY_SIZE not in svg


def test_says_of_which_test_a_latency_is_half_a_round_trip(plot, tmp_path, latencies):
    latencies["results"] += [as_latency(r, "read_lat", basis="round_trip") for r in latencies["results"]]
    svg = svg_of(plot, tmp_path, written(tmp_path, "two", latencies))
    assert "write_lat: half a round trip" in svg and "read_lat: a round trip" in svg
    assert "<!-- read_lat, 4 KiB -->" in svg


def test_says_how_many_of_the_curves_it_drew(plot, tmp_path, latencies):
    one = latencies["results"][0]
    latencies["results"] = [as_latency(one | {"message_bytes": 2**power}) for power in range(1, 24)]
    svg = svg_of(plot, tmp_path, written(tmp_path, "all", latencies))
    assert "8 of 23 curves" in svg and "<!-- 2 B -->" in svg and "<!-- 8 MiB -->" in svg


@pytest.fixture(name="sweep")
def sweep_report():
    """Its open loops: one rate that was kept up with, and one that was not."""
    report = json.loads((GOLDEN / "complete.json").read_text(encoding="utf-8"))
    report["results"] = [result for result in report["results"] if "open_loop" in result]
    assert len(report["results"]) == 2
    return report


def test_draws_latency_by_load_and_where_it_saturates(plot, tmp_path, sweep):
    svg = svg_of(plot, tmp_path, written(tmp_path, "sweep", sweep))
    for text in ("offered rate", "response time", "p99.9", "saturated"):
        assert text in svg
    assert "message size" not in svg


def test_draws_no_load_of_a_single_rate(plot, tmp_path, sweep):
    del sweep["results"][1]
    done = plot(written(tmp_path, "sweep", sweep), "-o", tmp_path / "out.png")
    assert done.returncode == 1


@pytest.mark.parametrize("key, value", [("offered_messages_per_second", "12"), ("saturated", None), ("response", 12)])
def test_refuses_a_load_that_is_none(plot, tmp_path, sweep, key, value):
    sweep["results"][0]["open_loop"][key] = value
    if value is None:
        del sweep["results"][0]["open_loop"][key]
    assert plot(written(tmp_path, "broken", sweep), "-o", tmp_path / "out.png").returncode == 2


UNFIT_LATENCY = {
    "percentiles": [{"percent": 50, "ns": "12"}],
    "percentiles below 0": [{"percent": 50, "ns": -1}],
    "percentiles of all": [{"percent": 100, "ns": 1}],
    "percentiles of nothing": [{"ns": 1}],
    "basis": "one way",
    "histogram": [[1, 2]],
    "histogram of text": "abc",
}


@pytest.mark.parametrize("name", UNFIT_LATENCY)
def test_refuses_a_latency_that_is_none(plot, tmp_path, latencies, name):
    latencies["results"][0]["latency"][name.partition(" ")[0]] = UNFIT_LATENCY[name]
    done = plot(written(tmp_path, "broken", latencies), "-o", tmp_path / "out.png")
    assert done.returncode == 2


BROKEN = {
    "empty": "",
    "not JSON": "{",
    "NUL": "\0",
    "too deep": "[" * 100000,
    "a list": "[]",
    "no report": "{}",
    "of the future": '{"schema_version": 3}',
    "no results": '{"schema_version": 2}',
    "null results": '{"schema_version": 2, "results": null}',
    "hollow result": '{"schema_version": 2, "hosts": [], "results": [{"bandwidth": {}}]}',
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_refuses_what_is_no_report(plot, tmp_path, text):
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")
    done = plot(path, "-o", tmp_path / "out.png")
    assert done.returncode == 2
    assert "broken.json" in done.stderr


def test_refuses_bytes_that_are_not_text(plot, tmp_path):
    path = tmp_path / "broken.json"
    path.write_bytes(b"\xff\xfe\x00")
    assert plot(path, "-o", tmp_path / "out.png").returncode == 2


@pytest.mark.parametrize("value", ["12", None, [], {}, True, -1, float("nan")])
def test_refuses_a_rate_that_is_no_number(plot, tmp_path, complete, value):
    complete["results"][0]["bandwidth"]["messages_per_second"] = value
    done = plot(written(tmp_path, "broken", complete), "-o", tmp_path / "out.png")
    assert done.returncode == 2


def test_refuses_a_missing_file(plot, tmp_path):
    done = plot(tmp_path / "none.json", "-o", tmp_path / "out.png")
    assert done.returncode == 2
    assert "No such file" in done.stderr


@pytest.mark.parametrize("name", ["out.pdf", "out", "missing/out.png"])
def test_refuses_an_output_that_it_cannot_write(plot, tmp_path, name):
    done = plot(GOLDEN / "complete.json", "-o", tmp_path / name)
    assert done.returncode == 2
