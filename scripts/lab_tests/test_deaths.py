"""Peers that die, stop, or say nothing: the other side ends in time, says why, and the server serves the next client."""

import json
import signal
import time

import pytest

from hosts import Server, parse_report

pytestmark = pytest.mark.sanitizer

# The promise is two seconds; the rest is for the log line to come through the lab's exec.
IN_TIME = 2.0 + 0.5


def running_client(b, server, *options):
    """A client that is in its measured window."""
    b.shell("rm -f /tmp/report.json")
    server.forget_lines()
    client = b.start("rdmabench", "write_bw", "a", "-p", server.port, "-D", "60", "-s", "4K", "--json", "/tmp/report.json", *options)
    server.wait_for_line("write_bw rc begins", 20)
    time.sleep(3)
    assert client.poll() is None, client.communicate()
    return client


def kill(host, name):
    """Sends the signal to the newest rdmabench there; returns when it was sent, at the latest."""
    host.shell(f"kill -{name} $(pgrep -n -x rdmabench)")
    return time.monotonic()


def serve_the_next(b, server):
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-n", "200", "-s", "4K")
    assert code == 0 and report["status"] == "complete", stderr


# The table of test_faults.py has such cases in every step.
@pytest.mark.full
@pytest.mark.parametrize("name", ["KILL", "STOP"])
def test_the_server_survives_a_client_that(b, server, name):
    client = running_client(b, server)
    sent = kill(b, name)
    line, when = server.wait_for_line("failed", 20)
    assert when - sent < IN_TIME, line
    assert "client" in line and "running" in line
    if name == "STOP":
        assert "silent" in line
        kill(b, "KILL")
    client.communicate(timeout=20)
    serve_the_next(b, server)


@pytest.mark.full
@pytest.mark.parametrize("name, status", [("KILL", "partial"), ("STOP", "partial")])
def test_the_client_survives_a_server_that(a, b, name, status):
    with Server(a) as server:
        client = running_client(b, server)
        sent = kill(a, name)  # the newest is the session's process
        client.wait(timeout=20)
        ended = time.monotonic()
        _, stderr = client.communicate()
        assert ended - sent < IN_TIME
        assert client.returncode == 1
        report = parse_report(b.shell("cat /tmp/report.json"))
        assert report["status"] == status
        assert report["error"]["step"] == "running"
        assert "server" in report["error"]["message"] and "server" in stderr
        assert report["results"][0]["complete"] is False and report["results"][0]["messages"] > 0
        if name == "STOP":
            kill(a, "KILL")
        serve_the_next(b, server)


def test_a_server_that_is_gone_altogether_ends_the_client(a, b):
    with Server(a) as server:
        client = running_client(b, server)
    client.wait(timeout=20)
    assert client.returncode == 1
    assert parse_report(b.shell("cat /tmp/report.json"))["status"] == "partial"
    client.communicate()


def test_ctrl_c_reports_what_was_measured(b, server):
    client = running_client(b, server)
    kill(b, "INT")
    client.wait(timeout=20)
    client.communicate()
    assert client.returncode == 130
    report = parse_report(b.shell("cat /tmp/report.json"))
    assert report["status"] == "partial" and "interrupted" in report["error"]["message"]
    assert report["results"][0]["messages"] > 0
    line, _ = server.wait_for_line("interrupted: client, while running: ", 10)
    assert "interrupted" in line
    serve_the_next(b, server)


def test_a_killed_client_leaves_a_report_of_the_tests_before(b, server):
    b.shell("""rm -rf /tmp/killed; mkdir /tmp/killed; echo '{"tests": [{"test": "write_bw", "run": {"iterations": 200, "message_bytes": [4096]}},
        {"test": "read_bw", "run": {"duration_ms": 60000, "message_bytes": [4096]}}]}' > /tmp/killed.json""")
    server.forget_lines()
    client = b.start("rdmabench", "run", "/tmp/killed.json", "a", "-p", server.port, "--json", "/tmp/killed/report.json")
    server.wait_for_line("read_bw rc begins", 30)
    time.sleep(3)  # slow hosts: until it is in the second test, too
    kill(b, "KILL")
    client.communicate(timeout=20)
    report = parse_report(b.shell("cat /tmp/killed/report.json"))
    assert report["status"] == "running"
    assert [(result["test"], result["complete"]) for result in report["results"]] == [("write_bw", True)]
    assert b.shell("ls -A /tmp/killed").split() == ["report.json"], "it leaves no other file"
    server.wait_for_line("failed", 20)
    serve_the_next(b, server)


@pytest.mark.full
def test_two_signals_at_once_cost_no_report(b, server):
    """As timeout(1) sends them: to the program, and then to its group."""
    report = "/tmp/report.json"
    done = b.run("timeout", "-s", "INT", "5", "rdmabench", "write_bw", "a", "-p", server.port, "-s", "4K", "-D", "30",
                 "--json", report)
    assert done.returncode == 124, done.stderr
    assert parse_report(b.shell(f"cat {report}"))["status"] == "partial"
    serve_the_next(b, server)


@pytest.mark.full
def test_a_server_that_is_told_to_end_says_what_to_do(a, b):
    with Server(a) as server:
        client = running_client(b, server)
        kill(a, "TERM")
        client.wait(timeout=20)
    _, stderr = client.communicate()
    assert client.returncode == 1
    assert "peer: interrupted" in stderr and "start it again" in stderr


SILENT = "import socket,sys,time; s=socket.create_connection(('a',int(sys.argv[1])),10); time.sleep(float(sys.argv[2]))"


@pytest.mark.full
def test_a_connection_that_says_nothing_is_closed_and_disturbs_nobody(b, server):
    server.forget_lines()
    silent = b.start("/usr/bin/python3", "-c", SILENT, server.port, "30")
    serve_the_next(b, server)
    server.wait_for_line("hello", 15)
    silent.send_signal(signal.SIGTERM)
    silent.communicate(timeout=20)


def processes(host):
    return set(host.shell("pgrep -x rdmabench || true").split())


def test_sigterm_ends_the_server_cleanly(a):
    before = processes(a)
    with Server(a) as server:
        kill(a, "TERM")
        server.process.wait(timeout=10)
    assert server.process.returncode == 0
    assert processes(a) <= before


def test_leaves_nothing_behind(a, server):
    """After all of the above: no queue pair, no memory region, one process."""
    left = json.loads(a.shell("rdma -j resource show"))
    device = next(entry for entry in left if entry["ifname"] == "rxe0")
    assert device["qp"] <= 1 and device["mr"] == 0, device  # the kernel's own GSI queue pair
    assert len(processes(a)) == 1
