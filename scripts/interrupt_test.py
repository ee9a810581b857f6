"""Ctrl-C and SIGTERM, phase by phase: the program ends in time, with the exit code that its pages say, and a report is whole or absent. Needs no
RDMA device."""

import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import time

import jsonschema
import pytest

from real_program import BINARY, PATIENCE, REPOSITORY, Running, Server, enter, require_program, status, wire

SCHEMA = json.loads((REPOSITORY / "report" / "schema.json").read_text())
# What the program waits for by itself takes 10 s and more; closing a session takes a second.
IN_ORDER_SECONDS = 5
AT_ONCE_SECONDS = 3
KILL_SECONDS = 5  # from SIGTERM to SIGKILL for a session
SAME_WISH_SECONDS = 0.5
NEVER = ["--connect-timeout", "60", "--wait", "60"]
both_signals = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)


@pytest.fixture(scope="session", autouse=True)
def program():
    require_program()
    # What a shell starts in the background ignores it, and so does all that this starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def wait_until(holds, what):
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"not within {PATIENCE} s: {what}"
        time.sleep(0.01)


class Program(Running):
    """The program with its outputs in files of a folder, but for a stream that somebody else has the end of."""

    def __init__(self, folder, *words, **streams):
        self.folder = folder
        with open(folder / "stdout", "wb") as stdout, open(folder / "stderr", "wb") as stderr:
            self.process = subprocess.Popen([BINARY, *map(str, words)], **{"stdout": stdout, "stderr": stderr, **streams})

    def text(self, name="stderr"):
        return (self.folder / name).read_text()

    def signal(self, number):
        self.process.send_signal(number)

    def ends_within(self, seconds):
        """Its exit code, or minus the signal that ended it."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it has not ended within {seconds} s; it said {self.text()}") from None


def report_in(folder):
    """The whole report; nothing else is left of it."""
    assert not [path for path in folder.iterdir() if "unfinished" in path.name]
    report = json.loads((folder / "report.json").read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    return report


@contextlib.contextmanager
def full_backlog():
    """A listener whose queue is full: nobody answers who calls it."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        while True:
            caller = stack.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(listener.getsockname())
            if not select.select([], [caller], [], 0.3)[1]:
                caller.close()
                break
        port = listener.getsockname()[1]
        yield port, lambda client: wait_until(lambda: is_calling(port), "it calls")


def is_calling(port):
    """A connection to the port is asked for, and not answered."""
    table = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(fields[2].endswith(f":{port:04X}") and fields[3] == "02" for fields in table)


@contextlib.contextmanager
def silent_listener():
    """It takes the connection and what comes, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener, contextlib.ExitStack() as stack:
        listener.settimeout(PATIENCE)

        def accept(_):
            connection = stack.enter_context(listener.accept()[0])
            connection.settimeout(PATIENCE)
            assert b"hello" in connection.recv(4096)

        yield listener.getsockname()[1], accept


@contextlib.contextmanager
def busy_server():
    """Another client has the server's one place."""
    with Server("--log-format", "json", "--idle-timeout", "60") as server, enter(server):
        yield server.port, lambda client: wait_until(lambda: "place 1" in client.text(), "it is queued")


PHASES = {"connecting": full_backlog, "saying hello": silent_listener, "waiting for its turn": busy_server}


@both_signals
@pytest.mark.parametrize("step", PHASES)
def test_a_client_that_waits_ends_in_order(tmp_path, step, number):
    with PHASES[step]() as (port, reached):
        with Program(tmp_path, "write_bw", "127.0.0.1", "-p", port, *NEVER, "--json", tmp_path / "report.json") as client:
            reached(client)
            client.signal(number)
            assert client.ends_within(IN_ORDER_SECONDS) == 130
    assert f"error: client, while {step}: interrupted" in client.text() and "interrupted" in client.text("stdout")
    report = report_in(tmp_path)
    assert [report["status"], report["error"]["step"], report["error"]["code"]] == ["failed", step, "interrupted"]


@both_signals
@pytest.mark.parametrize("command", ["doctor", "status"])
def test_what_asks_a_server_that_says_nothing_ends_in_order(tmp_path, command, number):
    with silent_listener() as (port, reached), Program(tmp_path, command, "127.0.0.1", "-p", port) as client:
        reached(client)
        client.signal(number)
        assert client.ends_within(IN_ORDER_SECONDS) == 130
    assert "interrupted" in client.text()


def test_a_queued_client_that_is_interrupted_leaves_the_queue(tmp_path):
    with Server("--log-format", "json", "--idle-timeout", "60") as server, enter(server):
        with Program(tmp_path, "write_bw", "127.0.0.1", "-p", server.port, *NEVER) as client:
            server.wait_for_event("queued")
            client.signal(signal.SIGINT)
            assert client.ends_within(IN_ORDER_SECONDS) == 130
        assert "interrupted" in server.wait_for_event("dismissed")["text"]
        assert json.loads(status(server, "--json").stdout)["queue"] == []


@contextlib.contextmanager
def closed_port():
    """Nobody listens there, and nobody else can begin to."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@contextlib.contextmanager
def full_pipe():
    """The end to write to of a pipe that takes nothing more."""
    reader, writer = os.pipe()
    try:
        os.set_blocking(writer, False)
        for piece in (b"x" * 4096, b"x"):
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(writer, piece)
        os.set_blocking(writer, True)
        yield writer
    finally:
        os.close(reader)
        os.close(writer)


def is_writing_to(process, stream):
    """It is in a system call about the stream, and does not come back."""
    file = pathlib.Path(f"/proc/{process.pid}/syscall")
    try:
        call = file.read_text()
        time.sleep(0.05)
        return call.split()[1:2] == [hex(stream)] and file.read_text() == call
    except PermissionError:  # a hardened kernel does not tell
        time.sleep(1)
        return True


@both_signals
def test_a_second_signal_ends_a_client_whose_stdout_nobody_reads(tmp_path, number):
    with silent_listener() as (port, reached), full_pipe() as pipe:
        with Program(tmp_path, "write_bw", "127.0.0.1", "-p", port, "--json", tmp_path / "report.json", stdout=pipe) as client:
            reached(client)
            client.signal(number)
            began = time.monotonic()
            wait_until(lambda: is_writing_to(client.process, 1), "it prints its report")
            time.sleep(max(0.0, began + SAME_WISH_SECONDS + 0.1 - time.monotonic()))
            assert client.process.poll() is None
            client.signal(number)
            assert client.ends_within(AT_ONCE_SECONDS) == -number
    assert report_in(tmp_path)["error"]["code"] == "interrupted"


@both_signals
@pytest.mark.parametrize("words", [["write_bw", "--json", "report.json"], ["doctor"], ["status"], ["--help"]], ids=lambda words: words[0])
def test_the_first_signal_ends_what_prints_to_a_stdout_that_nobody_reads(tmp_path, words, number):
    """Its work is done."""
    command, *options = words
    with Server() as server, closed_port() as port, full_pipe() as pipe:
        if command == "status":
            options = ["127.0.0.1", "-p", server.port]
        elif command != "--help":
            options += ["127.0.0.1", "-p", port, "--connect-timeout", "0.1"]
        with Program(tmp_path, command, *options, stdout=pipe, cwd=tmp_path) as client:
            wait_until(lambda: is_writing_to(client.process, 1), "it prints")
            client.signal(number)
            assert client.ends_within(AT_ONCE_SECONDS) == -number
    if "--json" in words:
        assert report_in(tmp_path)["error"]["step"] == "connecting"


def test_a_second_signal_ends_a_client_whose_stderr_nobody_reads(tmp_path):
    with busy_server() as (port, _), full_pipe() as pipe:
        with Program(tmp_path, "write_bw", "127.0.0.1", "-p", port, *NEVER, "--json", tmp_path / "report.json", stderr=pipe) as client:
            wait_until(lambda: is_writing_to(client.process, 2), "it tells its place")
            client.signal(signal.SIGINT)
            time.sleep(SAME_WISH_SECONDS + 0.1)
            client.signal(signal.SIGINT)
            assert client.ends_within(AT_ONCE_SECONDS) == -signal.SIGINT
    assert not (tmp_path / "report.json").exists()


def test_a_report_is_whole_or_the_one_before_whenever_a_signal_comes(tmp_path):
    path = tmp_path / "report.json"
    with closed_port() as port:
        for milliseconds in range(0, 60, 2):
            path.write_text("the one before")
            with Program(tmp_path, "write_bw", "127.0.0.1", "-p", port, "--connect-timeout", "0.01", "--json", path) as client:
                time.sleep(milliseconds / 1000)
                client.signal(signal.SIGTERM)
                assert client.ends_within(IN_ORDER_SECONDS) in (1, 130, -signal.SIGTERM)
            if path.read_text() != "the one before":
                assert report_in(tmp_path)["status"] == "failed"


@both_signals
def test_an_idle_server_ends_at_once(number):
    with Server("--log-format", "json") as server:
        assert server.end(number, AT_ONCE_SECONDS) == 0
    assert json.loads(server.lines[-1])["event"] == "shutting_down"


@both_signals
def test_a_server_does_not_wait_for_a_guest_who_says_nothing(number):
    with Server("--log-format", "json", "--hello-timeout", "60") as server:
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as guest:
            # Whoever comes later is answered later.
            assert status(server).returncode == 0
            assert server.end(number, AT_ONCE_SECONDS) == 0
            assert b"the server is shutting down" in guest.recv(4096)


@both_signals
def test_a_server_ends_its_session_and_tells_who_waits(number):
    with Server("--log-format", "json", "--idle-timeout", "60") as server:
        with enter(server) as served, wire.Caller(None, socket.create_connection(("127.0.0.1", server.port), PATIENCE)) as queued:
            queued.say("hello", wire.hello())
            server.wait_for_event("queued")
            assert server.end(number, IN_ORDER_SECONDS) == 0
            wire.check_refused(served, "interrupted")
            wire.check_refused(queued, "the server is shutting down")
    ended = server.wait_for_event("session_ended")
    assert [ended["outcome"], ended["exit_code"]] == ["interrupted", 130]


def test_a_server_kills_a_session_that_does_not_end():
    with Server("--log-format", "json", "--idle-timeout", "60") as server, enter(server):
        session = server.wait_for_event("session_started")["pid"]
        os.kill(session, signal.SIGSTOP)
        assert server.end(signal.SIGTERM, KILL_SECONDS + IN_ORDER_SECONDS) == 0
    ended = server.wait_for_event("session_ended")
    assert [ended["outcome"], ended["signal"]] == ["killed", signal.SIGKILL]
