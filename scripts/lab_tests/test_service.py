"""What a server says of itself while it serves: who is served with what, who waits, and how it ended."""

import json
import time

import jsonschema
import pytest

from hosts import REPOSITORY, Server

SCHEMA = json.loads((REPOSITORY / "cmd" / "status_schema.json").read_text())
IN_TIME = 30


@pytest.fixture
def server(a):
    with Server(a, "--log-format", "json") as running:
        yield running


def status(host, server):
    done = host.run("rdmabench", "status", "a", "-p", server.port, "--json", check=True)
    document = json.loads(done.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    return document


def status_where(host, server, holds):
    """The first status that holds; a client that was started has to reach the server first."""
    deadline = time.monotonic() + IN_TIME
    while time.monotonic() < deadline:
        document = status(host, server)
        if holds(document):
            return document
    raise AssertionError(f"not within {IN_TIME} s: {document}")


def test_status_tells_of_a_run_and_of_the_queue(b, server):
    running = b.start("rdmabench", "write_bw", "a", "-p", server.port, "-D", "60", "--quiet")
    try:
        busy = status_where(b, server, lambda now: now["sessions"] and now["sessions"][0].get("tests_started"))
        session = busy["sessions"][0]
        assert session["peer"].startswith("192.168.77.") and session["request"] == "run"
        assert session["plan"] == "write_bw rc" and session["tests"] == 1 and "write_bw" in session["latest"]
        waiting = b.start("rdmabench", "read_bw", "a", "-p", server.port, "-n", "10", "--quiet")
        try:
            queued = status_where(b, server, lambda now: now["queue"])["queue"]
            assert [queued[0]["place"], queued[0]["request"]] == [1, "run"]
        finally:
            running.terminate()
            running.communicate(timeout=IN_TIME)
            waiting.communicate(timeout=2 * IN_TIME)
    finally:
        if running.poll() is None:
            running.kill()
    idle = status_where(b, server, lambda now: not now["sessions"])
    ended = [idle["totals"][f"sessions_{outcome}"] for outcome in ("done", "interrupted", "failed")]
    assert idle["queue"] == [] and sum(ended) == 2


@pytest.mark.parametrize("words", [["-q", "2"], ["-D", "120"], ["--working-set", "1T"], ["-m", "4096"]], ids="".join)
def test_a_refusal_is_no_failure(a, b, words):
    with Server(a, "--log-format", "json", "--limit-qp", "1", "--limit-duration", "1m") as strict:
        assert b.run("rdmabench", "write_bw", "a", "-p", strict.port, *words).returncode in (1, 3)
        line, _ = strict.wait_for_line('"session_ended"', IN_TIME)
        totals = status(b, strict)["totals"]
    event = json.loads(line)
    assert event["outcome"] == "refused" and event["text"].startswith("refused: ") and event["error"]["message"]
    assert [totals["sessions_done"], totals["sessions_refused"], totals["sessions_failed"]] == [0, 1, 0]


def test_the_end_of_a_session_is_one_event(b, server):
    code, _, stderr = b.test("send_lat", "a", "-p", server.port, "-s", "2,64", "-n", "100")
    assert code == 0, stderr
    line, _ = server.wait_for_line('"session_ended"', IN_TIME)
    event = json.loads(line)
    assert event["outcome"] == "done" and event["exit_code"] == 0 and event["duration_seconds"] > 0
    assert event["plan"] == "send_lat rc" and event["tests_started"] == 1 and event["sizes_measured"] == 2
