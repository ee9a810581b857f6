"""Hosts of the lab, a server on one of them, and reports that are checked against the schema wherever they come from."""

import io
import json
import pathlib
import queue
import re
import select
import subprocess
import tarfile
import threading
import time

import jsonschema

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
LAB = str(REPOSITORY / "scripts" / "lab")
SCHEMA = json.loads((REPOSITORY / "report" / "schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def parse_report(text):
    """The document, which has to be valid: it is all that stands in `text`."""
    document = json.loads(text)
    VALIDATOR.validate(document)
    return document


def first_line(process, timeout):
    """Of its stdout; empty when it does not come in time."""
    ready, _, _ = select.select([process.stdout], [], [], timeout)
    return process.stdout.readline() if ready else ""


class Lines:
    """Lines of a stream as they are written, and when they came (time.monotonic)."""

    def __init__(self, stream):
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream):
        for line in stream:
            self.lines.put((time.monotonic(), line.rstrip()))

    def take(self):
        """The lines that have come so far."""
        taken = []
        while not self.lines.empty():
            taken.append(self.lines.get()[1])
        return taken

    def forget(self):
        self.take()

    def wait_for(self, pattern, timeout):
        """The first line from now on that matches, and when it came."""
        deadline = time.monotonic() + timeout
        seen = []
        while time.monotonic() < deadline:
            try:
                when, line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                break
            seen.append(line)
            if re.search(pattern, line):
                return line, when
        raise AssertionError(f"no line like '{pattern}' within {timeout} s, but: {seen}")


def without_warnings(stderr):
    """What else stands there: in the lab every run is warned that rdma_rxe is software."""
    return "".join(line for line in stderr.splitlines(keepends=True) if not line.startswith("warning: "))


class Host:
    """A host of the lab, by name."""

    before = ()  # words in front of each command, of all hosts

    def __init__(self, name):
        self.name = name

    def command(self, *words):
        return [LAB, "exec", self.name, "--", *self.before, *map(str, words)]

    def run(self, *words, timeout=60, check=False, **options):
        """Runs a command there; output as text."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=timeout, **options)
        if check and done.returncode != 0:
            raise AssertionError(f"{words} on {self.name}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def shell(self, script, timeout=60, check=True):
        return self.run("sh", "-c", script, timeout=timeout, check=check).stdout

    def unplug(self):
        """The cable of eth1. An interface that is set down keeps packets of rdma_rxe, and a Debian kernel ends by a panic when
        it is set up again after their queue pair's end."""
        subprocess.run([LAB, "unplug", self.name], check=True, timeout=60)

    def plug(self, peer):
        """The cable again; returns when rxe0 is active and the peer answers."""
        subprocess.run([LAB, "plug", self.name], check=True, timeout=60)
        self.await_port("4: ACTIVE")
        self.shell(f"until busybox ping -c 1 -W 1 {peer.name} >/dev/null; do sleep 0.1; done")

    def await_port(self, state):
        """The kernel takes up to a second to notice a cable."""
        self.shell(f"until [ \"$(cat /sys/class/infiniband/rxe0/ports/1/state)\" = '{state}' ]; do sleep 0.1; done")

    def put(self, source, target):
        """Copies a file of this machine to a file there, or the files of a folder into a folder."""
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w") as archive:
            for path in sorted(source.glob("*.py")) if source.is_dir() else [source]:
                archive.add(path, f"{target}/{path.name}" if source.is_dir() else target)
        subprocess.run(self.command("tar", "-x", "-C", "/"), input=content.getvalue(), check=True, timeout=60)

    def listener(self, port):
        """The process that listens on the TCP port."""
        found = re.search(r"pid=(\d+)", self.shell(f"ss -Hltnp sport = :{port}"))
        assert found, f"nobody listens on port {port}"
        return int(found[1])

    def start(self, *words, **options):
        return subprocess.Popen(self.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def test(self, *words, timeout=120):
        """A client's run: (exit code, report, stderr). The report is valid or this fails."""
        done = self.run("rdmabench", *words, "--json", "-", timeout=timeout)
        return done.returncode, parse_report(done.stdout), done.stderr


class Server:
    """`rdmabench server` on a host, on a port of the system's choice; its log lines come as they are written."""

    def __init__(self, host, *options, before=()):
        """`before`: words of a command that starts it."""
        self.host = host
        self.process = host.start(*before, "rdmabench", "server", "--port", "0", *options)
        first = first_line(self.process, 30)
        port = re.search(r"port (\d+)", first)
        if port is None:
            self.process.terminate()
            raise AssertionError(f"the server did not start: {first}{self.process.communicate(timeout=20)}")
        self.port = port.group(1)
        self.lines = Lines(self.process.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def alive(self):
        return self.process.poll() is None

    def forget_lines(self):
        self.lines.forget()

    def wait_for_line(self, pattern, timeout):
        """The first log line from now on that matches, and when it came (time.monotonic)."""
        return self.lines.wait_for(pattern, timeout)


class Program:
    """A Python program in a host that is spoken to in lines, and answers in JSON, one object a line."""

    def __init__(self, host, *words):
        self.process = subprocess.Popen(host.command("/usr/bin/python3", *words), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=20)

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def hear(self):
        line = self.process.stdout.readline()
        assert line, f"it ended: {self.process.stderr.read()}"
        return json.loads(line)

    def ask(self):
        self.go_on()
        return self.hear()
