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
    return json.loads((GOLDEN / "complete.json").read_text(encoding="utf-8"))


def written(tmp_path, name, document):
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["complete", "partial", "hostile"])
@pytest.mark.parametrize("suffix, magic", [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_draws_a_picture(plot, tmp_path, name, suffix, magic):
    output = tmp_path / f"out.{suffix}"
    done = plot(GOLDEN / f"{name}.json", "-o", output)
    assert done.returncode == 0, done.stderr
    assert output.read_bytes().startswith(magic)


def test_runs_as_a_program(tmp_path):
    command = [SCRIPTS / "plot", GOLDEN / "failed.json", "-o", tmp_path / "out.png"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("plot: no bandwidth in")


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


def test_draws_the_same_file_twice(plot, tmp_path):
    report = GOLDEN / "complete.json"
    assert svg_of(plot, tmp_path, report) == svg_of(plot, tmp_path, report)


def test_has_nothing_to_draw_without_results(plot, tmp_path):
    done = plot(GOLDEN / "failed.json", "-o", tmp_path / "out.png")
    assert done.returncode == 1
    assert "no bandwidth in" in done.stderr
    assert not (tmp_path / "out.png").exists()


BROKEN = {
    "empty": "",
    "not JSON": "{",
    "NUL": "\0",
    "too deep": "[" * 100000,
    "a list": "[]",
    "no report": "{}",
    "of the future": '{"schema_version": 2}',
    "no results": '{"schema_version": 1}',
    "null results": '{"schema_version": 1, "results": null}',
    "hollow result": '{"schema_version": 1, "hosts": [], "results": [{"bandwidth": {}}]}',
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
