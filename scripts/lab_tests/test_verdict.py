"""Limits that the user sets, and what checks say, between two hosts over rdma_rxe."""

import pytest

from hosts import parse_report


@pytest.mark.parametrize("options, code, check", [
    (["write_bw", "--limit-bw", "10Tbps"], 4, "limit_bw"),
    (["write_bw", "--limit-bw", "1bps", "--limit-rate", "1pps"], 0, "limit_rate"),
    (["send_lat", "--limit-latency", "p50=1ns"], 4, "limit_latency_p50"),
    (["send_lat", "--limit-latency", "p50=10s,max=30s"], 0, "limit_latency_max"),
], ids=lambda value: "_".join(value) if isinstance(value, list) else "")
def test_a_limit_decides_the_exit_code(b, server, options, code, check):
    test, *rest = options
    found, report, stderr = b.test(test, "a", "-p", server.port, "-s", "64", "-n", "256", *rest)
    assert found == code, stderr
    assert report["status"] == "complete"
    assert {each["name"]: each["ok"] for each in report["results"][0]["checks"]}[check] == (code == 0)
    assert (f"warning: {test} at 64 B: {check}" in stderr) == (code == 4)


def test_quiet_leaves_the_error_only(b, server):
    found, _, stderr = b.test("write_bw", "a", "-p", server.port, "-s", "64", "-n", "256", "--limit-bw", "10Tbps", "--quiet")
    assert found == 4 and "warning:" not in stderr
    assert "holds: write_bw at 64 B: limit_bw" in stderr


def test_a_lossy_link_is_seen_by_a_check_and_fails_when_strict(b, server):
    """One in a hundred packets of the client is lost while it runs."""
    script = ("tc qdisc add dev eth1 root netem loss 1% && "
              f"rdmabench write_bw a -p {server.port} -s 1024 -n 2048 -u 12 --peer-timeout 20 --stall-timeout 30 --strict"
              " --json -; code=$?; tc qdisc del dev eth1 root; exit $code")
    done = b.run("sh", "-c", script, timeout=90)
    report = parse_report(done.stdout)
    assert done.returncode == 4, done.stderr
    checks = {check["name"]: check for check in report["results"][0]["checks"]}
    assert not checks["no_errors_counted"]["ok"]
    assert checks["no_errors_counted"]["figures"]
    assert checks["ports_count_the_packets"]["ok"]
    assert report["results"][0]["messages"] == 2048
