"""The program as it is built, on this machine, and whoever knocks at its door: for tests that need no RDMA device."""

import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import threading
import types

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
BINARY = pathlib.Path(os.environ.get("RDMABENCH_BINARY", REPOSITORY / "bazel-bin" / "cmd" / "rdmabench"))
PATIENCE = 30

sys.path.insert(0, str(REPOSITORY / "scripts" / "lab_tests" / "attacker"))

import wire  # noqa: E402


def require_program():
    assert BINARY.exists(), f"{BINARY} is not built: bazel build -c opt //cmd:rdmabench"


def run(*words):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE)


def status(server, *words):
    return run("status", "127.0.0.1", "-p", server.port, *words)


class Running:
    """A `process` that does not outlive the test."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)


class Server(Running):
    """The real program; its log is read as it comes."""

    def __init__(self, *options, environment=()):
        self.process = subprocess.Popen([BINARY, "server", "--port", "0", "--bind", "127.0.0.1", *options], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | dict(environment))
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        first = self.process.stdout.readline() if ready else ""
        self.port = int(re.search(r"port (\d+)", first).group(1))
        self.lines = []
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            with self.changed:
                self.lines.append(line)
                self.changed.notify_all()

    def wait_for_event(self, name):
        def found():
            return next((event for event in map(json.loads, self.lines) if event["event"] == name), None)
        with self.changed:
            assert self.changed.wait_for(found, PATIENCE), f"no {name} in {self.lines}"
            return found()

    def end(self, number=signal.SIGTERM, seconds=PATIENCE):
        """Ends it with the signal; its exit code."""
        self.process.send_signal(number)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the server has not ended within {seconds} s; its log: {self.lines}") from None
        self.reader.join(PATIENCE)
        return code


def enter(server):
    """A client that is let in, and has not said yet what it wants."""
    return wire.enter(types.SimpleNamespace(address="127.0.0.1", server=("127.0.0.1", server.port), secret=None))
