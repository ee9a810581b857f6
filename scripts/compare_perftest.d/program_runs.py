"""Runs the two programs between the lab's hosts. Every process has a deadline, and what was started here is ended here."""

import contextlib
import itertools
import pathlib
import re
import select
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, TextIO

import program_output
from comparison_rows import HOST, Row
from interruption import deferred
from program_output import Figures, UnfitOutput

LAB = str(pathlib.Path(__file__).resolve().parents[1] / "lab")
CLIENT_HOST = "b"
RUN_SECONDS = 240
START_SECONDS = 30
END_SECONDS = 20
FIRST_PORT = 20000  # below the range that the system chooses from
LAB_FAILURES = (125, 255)  # exit statuses of `lab exec` for failures of its own
SHOWN_CHARACTERS = 3000


class RunFailed(Exception):
    """One run gave no figure; the text has the command and its output."""


class ComparisonFailed(Exception):
    """Nothing more can be measured."""


class Done(NamedTuple):
    status: int
    stdout: str
    stderr: str


def on_host(host: str, command: list[str]) -> list[str]:
    return [LAB, "exec", host, "--", *command]


@contextlib.contextmanager
def process(command: list[str], stdout: TextIO | int, stderr: TextIO | int | None) -> Iterator[subprocess.Popen]:
    """Started with signals held back, so that none falls between its start and the try."""
    with contextlib.ExitStack() as stack:
        with deferred():
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, text=True)
            stack.callback(end, child)
        yield child


def end(child: subprocess.Popen) -> None:
    for stop in (child.terminate, child.kill):
        if child.poll() is None:
            stop()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(timeout=END_SECONDS)
    for stream in (child.stdout, child.stderr):
        if stream:
            stream.close()


def run(host: str, command: list[str], seconds: float = RUN_SECONDS) -> Done:
    with process(on_host(host, command), subprocess.PIPE, subprocess.PIPE) as child:
        try:
            stdout, stderr = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            raise RunFailed(f"{shlex.join(command)}: did not end within {seconds} s") from error
    if child.returncode in LAB_FAILURES:
        raise ComparisonFailed(f"the lab does not run {shlex.join(command)} on {host}: {stderr.strip()}")
    return Done(child.returncode, stdout, stderr)


def checked(command: list[str], done: Done, read: Callable[[Done], Figures]) -> Figures:
    reason = f"exit status {done.status}"
    if done.status == 0:
        try:
            return read(done)
        except UnfitOutput as error:
            reason = str(error)
    raise RunFailed(f"{shlex.join(command)}: {reason}\n{tail(done.stdout)}{tail(done.stderr)}")


def tail(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else "…" + text[-SHOWN_CHARACTERS:]


def contents(file: TextIO) -> str:
    file.seek(0)
    return file.read()


def timed(command: list[str]) -> list[str]:
    """The command with its wall time on stderr, as the host's own clock has it: logging in is not part of it."""
    script = 'before=$(date +%s%N); "$@"; status=$?; echo "wall_ns $(($(date +%s%N) - before))" >&2; exit $status'
    return ["sh", "-c", script, "timed", *command]


class Rdmabench:
    """One server on host a for all runs."""

    def __init__(self, stack: contextlib.ExitStack):
        self.log = stack.enter_context(tempfile.TemporaryFile("w+"))
        command = on_host(HOST, ["rdmabench", "server", "--port", "0"])
        self.server = stack.enter_context(process(command, subprocess.PIPE, self.log))
        ready, _, _ = select.select([self.server.stdout], [], [], START_SECONDS)
        port = re.search(r"port (\d+)", self.server.stdout.readline() if ready else "")
        if port is None:
            raise ComparisonFailed(f"rdmabench server did not start\n{tail(contents(self.log))}")
        self.port = int(port[1])

    def measure(self, row: Row) -> Figures:
        if self.server.poll() is not None:
            raise ComparisonFailed(f"rdmabench server ended by itself\n{tail(contents(self.log))}")
        command = row.ours(self.port)
        if row.metric == "setup":
            return checked(command, run(CLIENT_HOST, timed(command)), setup_of_ours)
        return checked(command, run(CLIENT_HOST, command), lambda done: program_output.rdmabench_figures(row, done.stdout))


def setup_of_ours(done: Done) -> Figures:
    program_output.rdmabench_result(done.stdout)
    return program_output.setup_figures(done.stderr)


def setup_of_theirs(done: Done) -> Figures:
    program_output.perftest_table(done.stdout)
    return program_output.setup_figures(done.stderr)


class Perftest:
    """A server and a client for each run, on a port that no run before had."""

    def __init__(self) -> None:
        self.ports = itertools.count(FIRST_PORT)

    def measure(self, row: Row) -> Figures:
        command = row.theirs(port := next(self.ports))
        with contextlib.ExitStack() as stack:
            log = stack.enter_context(tempfile.TemporaryFile("w+"))
            server = stack.enter_context(process(on_host(HOST, command), log, log))
            try:
                self._await_listening(server, port)
                figures = self._client(row, [*command, HOST])
                status = server.wait(timeout=START_SECONDS)
            except RunFailed as error:
                raise RunFailed(f"{error}\nits server:\n{tail(contents(log))}") from error
            except subprocess.TimeoutExpired as error:
                raise RunFailed(f"{shlex.join(command)}: the server did not end\n{tail(contents(log))}") from error
            if status != 0:
                raise RunFailed(f"{shlex.join(command)}: the server's exit status is {status}\n{tail(contents(log))}")
            return figures

    def _client(self, row: Row, command: list[str]) -> Figures:
        if row.metric == "setup":
            return checked(command, run(CLIENT_HOST, timed(command)), setup_of_theirs)
        return checked(command, run(CLIENT_HOST, command), lambda done: program_output.perftest_figures(row, done.stdout))

    def _await_listening(self, server: subprocess.Popen, port: int) -> None:
        listening = f"^ *[0-9]+: [0-9A-F]+:{port:04X} 00000000:0000 0A "
        script = f"until grep -Eq '{listening}' /proc/net/tcp; do sleep 0.05; done"
        with process(on_host(HOST, ["sh", "-c", script]), subprocess.DEVNULL, subprocess.DEVNULL) as waiting:
            deadline = time.monotonic() + START_SECONDS
            while waiting.poll() is None:
                if server.poll() is not None:
                    raise RunFailed(f"{shlex.join(server.args)}: ended with {server.returncode} before a client came")
                if time.monotonic() > deadline:
                    raise RunFailed(f"{shlex.join(server.args)}: does not listen after {START_SECONDS} s")
                with contextlib.suppress(subprocess.TimeoutExpired):
                    waiting.wait(timeout=0.1)
            if waiting.returncode != 0:
                raise ComparisonFailed(f"the lab does not run commands on {HOST} any more")
