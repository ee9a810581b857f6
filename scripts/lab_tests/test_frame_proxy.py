"""The proxy that the table of faults relies on, between two sockets of this machine."""

import json
import queue
import socket
import struct
import subprocess
import sys
import threading

import pytest

from hosts import REPOSITORY

PROXY = REPOSITORY / "scripts" / "lab_tests" / "frame_proxy.py"
PATIENCE = 10


def frame(kind, **body):
    text = json.dumps({kind: body}).encode()
    return struct.pack(">I", len(text)) + text


def take(connection, *frames):
    """These, and nothing else so far."""
    wanted = b"".join(frames)
    data = b""
    while len(data) < len(wanted):
        more = connection.recv(len(wanted) - len(data))
        assert more, f"{data} and then the end, in place of {wanted}"
        data += more
    assert data == wanted


def ends(connection):
    """How: "fin" or "rst"."""
    try:
        assert connection.recv(1) == b""
        return "fin"
    except ConnectionResetError:
        return "rst"


class Between:
    """A client and a server with the proxy between them."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(PATIENCE)
        words = [sys.executable, str(PROXY), "127.0.0.1", "127.0.0.1", str(self.listener.getsockname()[1])]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=lambda: [self.lines.put(line.strip()) for line in self.process.stdout], daemon=True).start()
        self.port = int(self.lines.get(timeout=PATIENCE).removeprefix("listening "))
        self.connect()

    def connect(self):
        self.client = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        self.server, _ = self.listener.accept()
        self.server.settimeout(PATIENCE)

    def tell(self, command, *events):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.says(*events, f"did {command}")

    def says(self, *lines):
        said = [self.lines.get(timeout=PATIENCE) for _ in lines]
        assert said == list(lines)

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=PATIENCE) == 0
        for each in (self.client, self.server, self.listener, self.process.stdout):
            each.close()


@pytest.fixture
def between():
    made = Between()
    yield made
    made.end()


def test_relays_frames_as_they_are(between):
    hello = frame("hello", nonce="ü" * 40_000)
    for part in (hello[:2], hello[2:9], hello[9:]):
        between.client.sendall(part)
    take(between.server, hello)
    between.server.sendall(frame("queued") + frame("welcome"))
    take(between.client, frame("queued"), frame("welcome"))
    between.says("passed c2s hello", "passed s2c queued", "passed s2c welcome")


def test_holds_a_frame_and_what_is_behind_it_but_no_heartbeat(between):
    between.tell("hold c2s ready 2")
    between.client.sendall(frame("ready", n=1) + frame("ready", n=2) + frame("heartbeat") + frame("warm"))
    between.says("passed c2s ready", "held c2s ready")
    take(between.server, frame("ready", n=1), frame("heartbeat"))
    between.server.sendall(frame("ready", n=2) + frame("heartbeat"))
    take(between.client, frame("ready", n=2), frame("heartbeat"))
    between.says("passed s2c ready")
    between.tell("release", "passed c2s ready", "passed c2s warm")
    take(between.server, frame("ready", n=2), frame("warm"))


def test_what_is_held_dies_with_its_sender(between):
    between.tell("hold s2c results")
    between.server.sendall(frame("heartbeat") + frame("results"))
    between.says("held s2c results")
    between.server.close()
    between.says("ended s2c fin")
    take(between.client, frame("heartbeat"))
    assert ends(between.client) == "fin"


def test_an_end_in_one_direction_leaves_the_other_open(between):
    between.client.sendall(frame("bye"))
    between.client.shutdown(socket.SHUT_WR)
    take(between.server, frame("bye"))
    assert ends(between.server) == "fin"
    between.server.sendall(frame("bye"))
    between.server.close()
    take(between.client, frame("bye"))
    assert ends(between.client) == "fin"


def test_a_frame_that_is_cut_off_arrives_cut_off(between):
    between.client.sendall(frame("plan")[:7])
    between.client.close()
    take(between.server, frame("plan")[:7])
    assert ends(between.server) == "fin"


def test_a_reset_is_relayed_as_one(between):
    between.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    between.client.close()
    assert ends(between.server) == "rst"


def test_after_a_reset_of_its_own_it_is_as_new(between):
    between.tell("hold c2s hello")
    between.client.sendall(frame("hello"))
    between.says("held c2s hello")
    between.tell("reset")
    assert ends(between.client) == ends(between.server) == "rst"
    between.connect()
    between.client.sendall(frame("hello"))
    take(between.server, frame("hello"))
