"""What somebody can do who is let in: no plan, an absurd one, or the like of one."""

import copy
import json
import struct
import time

from strangers import ABSURD_NUMBERS, FORGED
from wire import HEARTBEAT, check_refused, enter, frame, pack

ABSURD = {
    "queue_pairs": 10**9,
    "working_set_bytes": 1 << 40,  # within the option's range, but beyond what a server grants
    "duration_ms": 10**15,
}
ABSURD_TOO = {
    "threads": 10**9,
    "send_depth": 10**9,
    "recv_depth": 10**9,
    "warmup_ms": 10**15,
    "iterations": 10**18,
    "message_bytes": [1 << 40],
    "runs": 10**9,
    "stall_timeout_ms": 10**15,
    "peer_timeout_ms": 10**15,
}


def _leaves(value, path=()):
    """The path of each number."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield from _leaves(child, (*path, key))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def _with(plan, path, value):
    changed = copy.deepcopy(plan)
    where = changed
    for key in path[:-1]:
        where = where[key]
    where[path[-1]] = value
    return changed


def _path_of(name):
    """Where the option stands in the first test; options that the plan leaves out are put where they belong."""
    if name in ("queue_pairs", "threads", "send_depth", "recv_depth"):
        return ("tests", 0, "queue", name)
    if name == "working_set_bytes":
        return ("tests", 0, "memory", name)
    return ("tests", 0, "run", name)


def _propose(world, text, *reasons, seconds=20, granted=()):
    with enter(world) as caller:
        caller.send(text if isinstance(text, bytes) else frame("plan", text))
        return check_refused(caller, *reasons, seconds=seconds, granted=granted)


def _propose_each(world, numbers):
    for name, value in numbers.items():
        plan = world.overheard.plan()
        _propose(world, _with(plan, _path_of(name), value), name, "allowed", "the server allows")


def absurd_plans(world):
    """10^9 queue pairs, 1 TiB, 10^12 seconds: refused with the option's name, and nothing is allocated."""
    _propose_each(world, ABSURD)


def absurd_examinations(world):
    """A doctor is asked to look at what is no list of devices."""
    no_lists = ("rxe0", {"rxe0": 1}, None, 1, [1], [["rxe0"]])
    for devices in (*no_lists, 65 * ["rxe0"], 4000 * ["rxe0"], ["x" * 5000], ["rxe0\nforged"], [""], [":1"], ["rxe0:-1"], ["rxe0:4294967297"]):
        with enter(world, "doctor") as caller:
            caller.send(frame("examine", {"devices": devices}))
            check_refused(caller, "devices", "no device", "announced a frame")
    for body in ({}, {"devices": [], "more": 1}, [], 1):
        with enter(world, "doctor") as caller:
            caller.send(frame("examine", body))
            check_refused(caller, "examine", "devices")


def more_absurd_plans(world):
    _propose_each(world, ABSURD_TOO)


def endless_lists(world):
    plan = world.overheard.plan()
    _propose(world, {**plan, "tests": 5000 * [{}]})
    _propose(world, _with(plan, ("tests", 0, "run", "message_bytes"), 100_000 * [64]), "message_bytes", "more than 100000 values")
    _propose(world, {**plan, "offer": 100_000 * [0]})
    _propose(world, {**plan, "tests": []})


def some_numbers(world):
    """Numbers that would wrap or be cut, where a small one stands."""
    plan = world.overheard.plan()
    for name, number in zip(("queue_pairs", "threads", "runs"), ("4294967297", "-1", "2.9")):
        text = json.dumps({"plan": _with(plan, _path_of(name), "HERE")}).replace('"HERE"', number)
        _propose(world, pack(text.encode()), name, "JSON")


def all_numbers(world):
    """Each number of the plan and of the offer, in turn."""
    plan = world.overheard.plan()
    for turn, path in enumerate(_leaves(plan)):
        number = ABSURD_NUMBERS[turn % len(ABSURD_NUMBERS)]
        text = json.dumps({"plan": _with(plan, path, "HERE")}).replace('"HERE"', number)
        with enter(world) as caller:
            caller.send(pack(text.encode()))
            # A number may be as good as the one before; then the server goes on, and is told to stop.
            deadline = time.monotonic() + 20
            for kind, _ in iter(lambda: caller.hear(deadline - time.monotonic()), None):
                if kind in ("accepted", "error"):
                    break
            if kind == "accepted":
                caller.say("error", {"message": "enough"})
            caller.hear_all()


def deep_plans(world):
    depth = 100_000
    _propose(world, pack(b'{"plan":' + b'{"tests":' * depth + b"1" + b"}" * depth + b"}"), "nested")


def wide_plans(world):
    for value in (b"[],", b"0,"):
        _propose(world, pack(b'{"plan":[' + value * (((1 << 20) - 32) // len(value)) + b"0]}"))


def garbage_after_the_welcome(world):
    for nonsense in (pack(b"garbage"), struct.pack(">I", (1 << 20) + 1), pack(b'{"plan":1,"plan":2}'), 2 * frame("hello", {})):
        _propose(world, nonsense)


def garbage_after_the_plan(world):
    for nonsense in (b"\xff" * 70_000, frame("peer", {}), frame("plan", {}), frame("ready", [1]), frame("results", {FORGED: FORGED})):
        _propose(world, frame("plan", world.overheard.plan()) + nonsense, granted=("accepted", "peer"))


def unread_frames(world):
    """Frames of no use, as many as go: before the plan, and behind it."""
    for first in (b"", frame("plan", world.overheard.plan())):
        with enter(world) as caller:
            caller.send(first)
            block = frame("x", [0]) * 1000
            for _ in range(1000):
                if not caller.send(block, seconds=5):
                    break
            caller.hear_all(20)


def forged_errors(world):
    for first in (b"", frame("plan", world.overheard.plan())):
        with enter(world) as caller:
            caller.send(first + frame("error", {"message": FORGED, "host": FORGED, "step": FORGED, "blame": FORGED, "remedy": FORGED}))
            caller.hear_all(20)


def leaving_again(world):
    """Into the session and out of it, with and without a goodbye."""
    for turn in range(12):
        caller = enter(world)
        if turn % 2:
            caller.send(frame("plan", world.overheard.plan()))
        if turn % 3:
            caller.reset()
        else:
            caller.socket.close()


def silence_after_the_welcome(world):
    """Not even a heartbeat."""
    for request in ("run", "doctor"):
        with enter(world, request) as caller:
            caller.hear_all(20)


def half_a_plan(world):
    """With heartbeats being impossible in the middle of a frame, it comes byte by byte."""
    text = frame("plan", world.overheard.plan())
    with enter(world) as caller:
        deadline = time.monotonic() + 60
        for byte in text:
            if time.monotonic() > deadline or not caller.send(bytes([byte])):
                break
            time.sleep(0.4)
        caller.hear_all(1)


def heartbeats_and_no_plan(world):
    """Alive, but of no purpose: the plan has a deadline of its own."""
    with enter(world) as caller:
        deadline = time.monotonic() + 45
        while time.monotonic() < deadline and caller.send(HEARTBEAT):
            time.sleep(0.4)
        caller.hear_all(1)


def garbage(world):
    _propose(world, b"\xff" * 70_000)


ATTACKS = (absurd_plans, absurd_examinations)
LONG_ATTACKS = (some_numbers, deep_plans, garbage, more_absurd_plans, all_numbers, endless_lists, wide_plans, garbage_after_the_welcome, garbage_after_the_plan, unread_frames,
                forged_errors, leaving_again, silence_after_the_welcome, half_a_plan, heartbeats_and_no_plan)
