"""What somebody can do who knows no secret: before hello, in it, and in place of the proof."""

import json
import select
import struct
import time

from wire import HEARTBEAT, PROTOCOL, Caller, call_often, check_refused, frame, hello, pack

# The server's time-out of a handshake is five seconds; the rest is the lab's slowness.
HANDSHAKE_SECONDS = 5 + 7
# Of all who have said nothing: each is a line of the log, and an emulated host is slow.
FLOOD_SECONDS = 30
MANY = 2000
# The largest frame of a stranger, and one that is far too large.
LENGTHS = (8 << 10, 1 << 20)
ABSURD_NUMBERS = ("4294967297", "-1", "2.9", "1e400", "18446744073709551616", f"{PROTOCOL}.0", f'"{PROTOCOL}"', "null", "true", f"[{PROTOCOL}]", "{}")


def _await_closing(callers, seconds):
    """All of them are closed by the server."""
    poll = select.poll()
    waiting = {caller.socket.fileno(): caller for caller in callers}
    for fd, caller in waiting.items():
        caller.socket.setblocking(False)
        poll.register(fd, select.POLLIN)
    deadline = time.monotonic() + seconds
    while waiting and time.monotonic() < deadline:
        for fd, _ in poll.poll(200):
            try:
                while waiting[fd].socket.recv(65536):
                    pass
            except BlockingIOError:
                continue
            except ConnectionError:
                pass
            poll.unregister(fd)
            del waiting[fd]
    assert not waiting, f"{len(waiting)} of {len(callers)} connections are still open after {seconds} s"


def _close(callers):
    for caller in callers:
        caller.socket.close()


def silence(world):
    callers = call_often(world, MANY)
    try:
        _await_closing(callers, FLOOD_SECONDS * world.slowness)
    finally:
        _close(callers)


def huge_frames(world):
    for length in (0xffffffff, 0x80000000, (1 << 20) + 1, 0):
        with Caller(world) as caller:
            caller.send(struct.pack(">I", length) + b"{" * 4096)
            check_refused(caller, "announced a frame of")


def half_frames(world):
    """All but the end of the largest frame, on as many connections as the server keeps."""
    callers = call_often(world, 100)
    try:
        for caller in callers:
            caller.send(struct.pack(">I", LENGTHS[0]) + b'{"hello":{"tool_version":"' + b"x" * (LENGTHS[0] - 64))
        _await_closing(callers, HANDSHAKE_SECONDS)
    finally:
        _close(callers)


def hello_then_garbage(world):
    for garbage in (b"\xff" * 4096, bytes(4096), pack(b"garbage"), pack(b"[]"), pack(b'{"a":1,"b":2}')):
        with Caller(world) as caller:
            caller.send(frame("hello", hello()) + garbage)
            check_refused(caller)


def hello_twice(world):
    with Caller(world) as caller:
        caller.send(2 * frame("hello", hello()))
        check_refused(caller, "hello")


def out_of_turn(world):
    for kind in ("proof", "plan", "bye", "welcome", "challenge", "queued", "accepted", "ready", "status", "no_such_kind"):
        with Caller(world) as caller:
            caller.say(kind, {"mac": "0" * 64})
            check_refused(caller, kind)


def numbers_in_hello(world):
    for key in ("protocol", "nonce"):
        for number in ABSURD_NUMBERS:
            text = json.dumps({"hello": hello(**{key: "HERE"})}).replace('"HERE"', number)
            with Caller(world) as caller:
                caller.send(pack(text.encode()))
                check_refused(caller, key, "JSON")


def deep_json(world):
    for depth in (100_000, 1000):
        for text in (b'{"hello":' + b"[" * depth + b"]" * depth + b"}", b"[" * depth, b'{"a":' * depth + b"1" + b"}" * depth):
            with Caller(world) as caller:
                caller.send(pack(text))
                check_refused(caller, "nested" if len(text) < LENGTHS[0] else "announced a frame of")


def wide_json(world):
    """As many values in a frame as its length allows: each takes far more memory than its text."""
    for length in LENGTHS:
        for value in (b"[],", b"0,", b'"",', b"{},"):
            text = b'{"hello":[' + value * ((length - 16) // len(value)) + b"0]}"
            with Caller(world) as caller:
                caller.send(pack(text))
                check_refused(caller)


def huge_texts(world):
    for length in (LENGTHS[1] - 1000, LENGTHS[0] - 1000):
        huge = "x" * length
        for body in (hello(tool_version=huge), hello(nonce=huge), hello(request=huge), hello(**{huge: 1}), hello(protocol=99, tool_version=huge)):
            with Caller(world) as caller:
                caller.say("hello", body)
                check_refused(caller)
        with Caller(world) as caller:
            caller.say(huge, {})
            check_refused(caller)


def no_utf8(world):
    for bad in (b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80", b"\x00", b"\xe2\x80\xae"):
        text = json.dumps({"hello": hello(tool_version="HERE")}).encode().replace(b"HERE", bad)
        with Caller(world) as caller:
            caller.send(pack(text))
            check_refused(caller)


def twice_the_same_key(world):
    text = json.dumps({"hello": hello()})
    for forged in (text.replace('"request"', '"nonce"'), text[:-1] + "," + text[1:], text.replace("{", '{"protocol": 1, ', 2)):
        with Caller(world) as caller:
            caller.send(pack(forged.encode()))
            check_refused(caller)


FORGED = "\n2026-01-01T00:00:00Z 192.168.77.2:1 FORGED\r\n\x1b[2J\u2028FORGED\u202e\x00\x7f"


def forged_log_lines(world):
    """What the server quotes must not begin a line of its log, nor command a terminal."""
    for body in ({"hello": hello(protocol=99, tool_version=FORGED)}, {"hello": hello(request=FORGED)}, {"hello": hello(tool_version=FORGED)},
                 {"hello": hello(**{FORGED: 1})}, {FORGED: {}}):
        with Caller(world) as caller:
            caller.send(pack(json.dumps(body, ensure_ascii=False).encode()))
            reason = check_refused(caller)
            assert not any(ord(c) < 32 or ord(c) == 127 for c in json.loads(reason)["message"]), reason
    for after in (b"", frame("hello", hello())):
        with Caller(world) as caller:
            caller.send(after + frame("error", {"message": FORGED, "host": FORGED, "step": FORGED, "blame": FORGED, "remedy": FORGED}))
            caller.hear_all()


def slow_drip(world):
    """A byte now and then is no reason to wait for a hello."""
    text = frame("hello", hello())
    began = time.monotonic()
    with Caller(world) as caller:
        for byte in text:
            if not caller.send(bytes([byte])) or time.monotonic() > began + HANDSHAKE_SECONDS:
                break
            time.sleep(0.2)
        caller.hear_all(1)


def tiny_frames(world):
    """A million of them, or as many as go until the server has had enough."""
    with Caller(world) as caller:
        deadline = time.monotonic() + HANDSHAKE_SECONDS
        if world.secret is not None:
            caller.say("hello", hello())
        block = HEARTBEAT * 1000
        for _ in range(1000):
            if time.monotonic() > deadline or not caller.send(block, seconds=max(0.01, deadline - time.monotonic())):
                break
        caller.hear_all(HANDSHAKE_SECONDS)


def resets(world):
    """Connections that are gone again before the server has looked at them, some with a word in them."""
    for _ in range(10):
        callers = call_often(world, 100)
        for turn, caller in enumerate(callers):
            if turn % 3 == 1:
                caller.send(frame("hello", hello())[:20])
            elif turn % 3 == 2 and world.secret is not None:
                caller.send(frame("hello", hello()))
            caller.reset()


def half_closed(world):
    for text in (b"", b"\0\0", frame("hello", hello())[:50]):
        with Caller(world) as caller:
            caller.send(text)
            caller.socket.shutdown(1)
            caller.hear_all(2 + 3)


def many_status_requests(world):
    for _ in range(200):
        with Caller(world) as caller:
            if world.secret is not None:
                caller.say("hello", hello("status"))
                caller.say("plan", {})
                check_refused(caller)
            else:
                caller.say("hello", hello("status"))
                assert "status" in dict(caller.hear_all()), "no status came"


def silent_after_hello(world):
    """With a secret: never proves it. Without: is queued, and never says that it lives."""
    callers = call_often(world, 100)
    try:
        for caller in callers:
            caller.say("hello", hello())
        _await_closing(callers, HANDSHAKE_SECONDS + (0 if world.secret else 60))
    finally:
        _close(callers)


ATTACKS = (silence, huge_frames, half_frames, hello_then_garbage, hello_twice, out_of_turn, numbers_in_hello, deep_json, wide_json, huge_texts,
           no_utf8, twice_the_same_key, forged_log_lines, tiny_frames, half_closed)
LONG_ATTACKS = (resets, many_status_requests, slow_drip, silent_after_hello)
