"""The session's wire as a stranger speaks it: connections from the attacker's address, frames, hello, and the proof of the secret."""

import hashlib
import hmac
import json
import os
import select
import socket
import struct
import time

PROTOCOL = 6
VERSION = "0.1.0"
BEAT_SECONDS = 0.4


class Closed(Exception):
    """The server has closed the connection, or reset it."""


def pack(text):
    return struct.pack(">I", len(text)) + text


def frame(kind, body):
    return pack(json.dumps({kind: body}).encode())


HEARTBEAT = frame("heartbeat", {})


def new_nonce():
    return os.urandom(16).hex()


def hello(request="run", nonce=None, **changed):
    body = {"protocol": PROTOCOL, "tool_version": VERSION, "nonce": nonce or new_nonce(), "request": request}
    return {**body, **changed}


def prove(secret, role, request, client_nonce, server_nonce):
    text = f"rdmabench {PROTOCOL} {role}\n{request}\n{client_nonce}\n{server_nonce}"
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()


def _connect(world):
    connecting = socket.socket()
    connecting.settimeout(10)
    connecting.bind((world.address, 0))
    connecting.connect(world.server)
    return connecting


class Caller:
    """One connection to the server. What is sent to a server that has left is lost without a word."""

    def __init__(self, world, connected=None):
        self.socket = connected or _connect(world)
        self.bytes = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data, seconds=10):
        """False: the server has left, or takes nothing any more."""
        self.socket.settimeout(seconds)
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def say(self, kind, body):
        return self.send(frame(kind, body))

    def hear(self, seconds):
        """The next frame's kind and body. Raises Closed, and TimeoutError."""
        deadline = time.monotonic() + seconds
        while True:
            if len(self.bytes) >= 4:
                end = 4 + struct.unpack(">I", self.bytes[:4])[0]
                if len(self.bytes) >= end:
                    text, self.bytes = self.bytes[4:end], self.bytes[end:]
                    return next(iter(json.loads(text).items()))
            self.socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                more = self.socket.recv(65536)
            except ConnectionError:
                raise Closed from None
            if not more:
                raise Closed
            self.bytes += more

    def hear_all(self, seconds=15):
        """All frames until the server closes, which it has to within these seconds."""
        frames = []
        deadline = time.monotonic() + seconds
        try:
            while True:
                frames.append(self.hear(deadline - time.monotonic()))
        except Closed:
            return frames
        except (TimeoutError, ValueError):
            raise AssertionError(f"the server has not closed the connection after {seconds} s, but sent {frames[-3:]}") from None

    def reset(self):
        """Leaves without the usual goodbye of TCP."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def call_often(world, count, seconds=30):
    """So many connections, all begun at once."""
    poll = select.poll()
    waiting = {}
    for _ in range(count):
        connecting = socket.socket()
        connecting.setblocking(False)
        connecting.bind((world.address, 0))
        connecting.connect_ex(world.server)
        poll.register(connecting, select.POLLOUT)
        waiting[connecting.fileno()] = connecting
    callers = []
    deadline = time.monotonic() + seconds
    while waiting:
        for fd, _ in poll.poll(1000):
            poll.unregister(fd)
            callers.append(Caller(world, waiting.pop(fd)))
        assert time.monotonic() < deadline, f"{len(waiting)} of {count} connections are not there after {seconds} s"
    return callers


def check_refused(caller, *texts, seconds=15, granted=()):
    """The server says why, in words that have one of `texts` at least, and closes; before, it grants no more than was asked
    in order. Returns what it said."""
    frames = caller.hear_all(seconds)
    errors = [json.dumps(body) for kind, body in frames if kind == "error"]
    assert errors, f"the server closed without a reason; it sent {frames}"
    assert len(errors[0]) < 4096, f"the reason is {len(errors[0])} bytes long"
    assert not texts or any(text in errors[0] for text in texts), f"the reason is {errors[0]}"
    assert all(kind in ("error", "heartbeat", "queued", "challenge", "welcome", *granted) for kind, _ in frames), frames
    return errors[0]


def say_hello(caller, world, request="run"):
    """Hello, and the proof where the server asks for one. The server proves itself, or this fails."""
    nonce = new_nonce()
    caller.say("hello", hello(request, nonce))
    if world.secret is None:
        return
    kind, body = caller.hear(10)
    assert kind == "challenge", (kind, body)
    theirs = body["nonce"]
    caller.say("proof", {"mac": prove(world.secret, "client", request, nonce, theirs)})
    kind, body = caller.hear(10)
    assert (kind, body) == ("proof", {"mac": prove(world.secret, "server", request, nonce, theirs)}), (kind, body)


def enter(world, request="run", seconds=60):
    """A connection that has been let in and welcomed, as an honest client's would be."""
    caller = Caller(world)
    say_hello(caller, world, request)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            kind, body = caller.hear(BEAT_SECONDS)
        except TimeoutError:
            caller.send(HEARTBEAT)
            continue
        if kind == "welcome":
            return caller
        assert kind in ("queued", "heartbeat"), (kind, body)
    raise AssertionError(f"not welcomed within {seconds} s")
