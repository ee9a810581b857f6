"""How long and how fast a run is: rates, endless runs, intervals."""

import re

import pytest

from hosts import parse_report


@pytest.mark.parametrize("options, per_second", [
    pytest.param(["write_bw", "--rate", "400pps", "-s", "64"], 400, marks=pytest.mark.full),
    pytest.param(["send_bw", "--rate", "800Kbps", "-s", "500"], 200, marks=pytest.mark.full),
    (["write_bw", "--rate", "400pps", "-s", "64", "-q", "4", "--threads", "2", "--burst", "4"], 400),
], ids=lambda value: "_".join(value) if isinstance(value, list) else "")
def test_a_rate_is_kept(b, server, options, per_second):
    test, *rest = options
    rates = []
    # An emulated host that stands still for 20 ms at the end of the window is a chance of its own.
    while len(rates) < 3 and per_second not in rates:
        code, report, stderr = b.test(test, "a", "-p", server.port, "-D", "4", *rest)
        assert code == 0, stderr
        rates.append(pytest.approx(report["results"][0]["bandwidth"]["messages_per_second"], rel=0.005))
    assert per_second in rates


@pytest.mark.parametrize("test, words", [("write_bw", "Gb/s"), ("send_lat", "p50")])
def test_an_endless_run_prints_intervals_and_reports_when_it_is_interrupted(b, server, test, words):
    script = (f"rdmabench {test} a -p {server.port} -s 64 --run-infinitely --interval 0.5 --json /tmp/endless.json"
              " >/tmp/endless.txt 2>/tmp/endless.lines &"
              f" for i in $(seq 300); do [ $(grep -c '{words}' /tmp/endless.lines) -ge 3 ] && break; sleep 0.1; done;"
              " kill -TERM $!; wait $!; echo exit $? >&2; cat /tmp/endless.lines >&2; cat /tmp/endless.json")
    done = b.run("sh", "-c", script, timeout=90)
    report = parse_report(done.stdout)
    assert "exit 0" in done.stderr
    assert len([line for line in done.stderr.splitlines() if words in line]) >= 3, done.stderr
    assert report["status"] == "complete"
    assert report["results"][0]["window_seconds"] > 1


def test_intervals_are_told_when_asked_for(b, server):
    done = b.run("rdmabench", "write_bw", "a", "-p", server.port, "-s", "64", "-D", "3", "--interval", "500ms", "--quiet", check=True)
    assert len(re.findall(r"^ +\d+\.\d+ s .*M msg/s$", done.stderr, re.MULTILINE)) >= 3
