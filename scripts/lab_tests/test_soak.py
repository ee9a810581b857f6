"""A server that has had hundreds of clients, many of them killed on the way, is as it was: nothing is lost, nothing leaks, nothing gets slower."""

import collections
import dataclasses
import json
import pathlib
import statistics
import time

import pytest

from hosts import Program, Server

HERE = pathlib.Path(__file__).parent
CLIENTS = 300
AT_ONCE = 20
# Of an idle server: what an allocator keeps varies by some pages.
ALLOWED_GROWTH_KIB = {"pss_anon_kib": 256, "pss_kib": 512}
ALLOWED_SLOWDOWN = 0.10
KILLED = {"SIGKILL": -9, "SIGTERM": -15}
INTERRUPTED = 130

pytestmark = pytest.mark.full


@dataclasses.dataclass
class Soaked:
    clients: dict  # of each phase, in order
    before: dict
    after: dict
    events: list
    survived: bool


def resources(host):
    left = json.loads(host.shell("rdma -j resource show"))
    return {key: value for entry in left for key, value in entry.items() if isinstance(value, int) and key != "ifindex"}


def state(watch, a, b):
    """Once nothing is under way any more."""
    time.sleep(3)
    return {"watch": watch.ask(), "a": resources(a), "b": resources(b), "clients": b.shell("pgrep -x rdmabench || true").split()}


def soak(a, b, server):
    pid = a.listener(server.port)
    a.put(HERE / "watch.py", "/tmp/watch.py")
    b.put(HERE / "soaker.py", "/tmp/soaker.py")
    clients = {"first": [], "mixed": [], "last": []}
    states = {}
    with Program(a, "/tmp/watch.py", pid) as watch, Program(b, "/tmp/soaker.py", "--port", server.port) as soaker:
        for phase, ended in clients.items():
            while "client" in (answer := soaker.hear()):
                ended.append(answer["client"])
            assert answer == {"phase": phase}
            states[phase] = state(watch, a, b)
            soaker.go_on()
    survived = server.alive() and a.listener(server.port) == pid
    events = [json.loads(line) for line in server.lines.take()]
    return Soaked(clients, states["first"], states["last"], events, survived)


@pytest.fixture(scope="module")
def soaked(a, b):
    with Server(a, "--log-format", "json") as server:
        return soak(a, b, server)


def is_accounted_for(client):
    """Done, or ended as it was killed; whatever else ends it has its reason on stderr."""
    if client["hung"]:
        return False
    if client["code"] == 0:
        return True
    if client["sent"] is None:
        return False
    # SIGTERM ends a client in order, if it has come to that yet.
    if client["sent"] == "SIGTERM" and client["code"] == INTERRUPTED:
        return "interrupted" in client["stderr"]
    return client["code"] == KILLED[client["sent"]]


def test_no_client_is_lost_without_a_reason(soaked):
    clients = [client for phase in soaked.clients.values() for client in phase]
    assert len(clients) == CLIENTS
    lost = [client for client in clients if not is_accounted_for(client)]
    assert not lost, json.dumps(lost[:5], indent=1)
    killed = [client for client in clients if client["code"] != 0]
    assert len(killed) >= CLIENTS / 4, "too few have been killed before they were done"
    for client in killed:
        if client["code"] == INTERRUPTED and client["document"]:
            document = json.loads(client["document"])
            # A doctor's has no status.
            assert document["error"] and document.get("status", "failed") in ("partial", "failed"), client


def test_each_session_has_an_outcome_in_the_log(soaked):
    named = {name: [event for event in soaked.events if event["event"] == name] for name in {event["event"] for event in soaked.events}}
    started = {event["session"]: event for event in named["session_started"]}
    ended = {event["session"]: event for event in named["session_ended"]}
    assert started.keys() == ended.keys()
    assert len(started) >= CLIENTS / 2
    outcomes = collections.Counter(event["outcome"] for event in ended.values())
    assert outcomes.keys() <= {"done", "failed", "interrupted"}, outcomes
    for event in ended.values():
        assert event["outcome"] == "done" or event["error"]["message"], event
    clients = [client for phase in soaked.clients.values() for client in phase]
    assert outcomes["done"] >= sum(client["code"] == 0 for client in clients)
    # Who has been queued is served, or dismissed with a reason.
    queued = {event["peer"] for event in named.get("queued", [])}
    served = {event["peer"] for event in started.values()}
    dismissed = {event["peer"] for event in named.get("dismissed", [])}
    assert queued <= served | dismissed
    assert len(queued) >= AT_ONCE


def test_nothing_leaks(soaked):
    assert soaked.survived
    assert soaked.after["a"] == soaked.before["a"]
    assert soaked.after["b"] == soaked.before["b"]
    assert soaked.after["clients"] == []
    assert soaked.after["watch"]["descriptors"] == soaked.before["watch"]["descriptors"]
    assert soaked.after["watch"]["processes"] == 1
    for name, allowed in ALLOWED_GROWTH_KIB.items():
        assert soaked.after["watch"][name] - soaked.before["watch"][name] <= allowed, name


def test_the_last_clients_are_as_fast_as_the_first(soaked):
    first, last = (statistics.median(client["rate"] for client in soaked.clients[phase]) for phase in ("first", "last"))
    assert abs(last / first - 1) <= ALLOWED_SLOWDOWN, f"{first * 8e-9:.3f} Gb/s, then {last * 8e-9:.3f}"
