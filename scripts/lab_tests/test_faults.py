"""A side that is killed, stopped or cut off in each step of a run: the other ends in time and says in which step, its report is
valid, and the server serves the next client. frame_proxy.py, between the two, keeps them in the step."""

import itertools
import re
import subprocess
import time

import pytest

from fault_table import FACTORS, HANDSHAKE_TIMEOUT, PHASES, all_cases, pairs, short_table, table, what_matters_most
from hosts import REPOSITORY, Lines, Server, first_line, parse_report

PROMISE = 2.0  # seconds beyond a deadline
REPORT = "/tmp/report.json"
ADDRESSES = {"a": "192.168.77.1", "b": "192.168.77.2"}
# Far beyond all deadlines: whoever does not end by then hangs, or has not come as far as it should.
HANGS = 60
# What is said of the faulty side; of one that is cut off, the RDMA device may tell first.
ENDED = {"KILL": "closed the connection", "STOP": "silent for .* last heard .* ago, (while|after it sent) ", "LINK": "."}
GOING_ON = "pkill -CONT -x rdmabench || true"  # whoever was stopped


class Proxy:
    """The relay on the client's host, for all cases."""

    def __init__(self, host, server):
        host.put(REPOSITORY / "scripts" / "lab_tests" / "frame_proxy.py", "/tmp/frame_proxy.py")
        # It shares a processor with a client that polls.
        self.process = host.start("nice", "-n", "-20", "/usr/bin/python3", "/tmp/frame_proxy.py", ADDRESSES[host.name],
                                  ADDRESSES[server.host.name], server.port, stdin=subprocess.PIPE)
        self.port = first_line(self.process, HANGS).split()[-1]
        self.lines = Lines(self.process.stdout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        assert self.process.wait(timeout=20) == 0, self.process.stderr.read()

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.lines.wait_for(f"did {command}", HANGS)

    def await_all(self, lines):
        missing = set(lines)
        while missing:
            line, _ = self.lines.wait_for("|".join(missing), HANGS)
            missing.discard(line)


class Arena:
    """Both hosts, a server that has to survive all cases, and the proxy before it."""

    def __init__(self, a, b, server, proxy):
        self.hosts = {"server": a, "client": b}
        self.server, self.proxy = server, proxy
        self.lag = 0.0  # of a command in a host, as of the last fault
        self.cut_off = None  # the host whose cable is out
        self.parent = a.listener(server.port)
        self.client = None

    def reach(self, case):
        """A run whose watcher waits in the case's phase."""
        phase = PHASES[case.phase]
        way = {"client": "c2s", "server": "s2c"}
        lines = [f"passed {way[side]} {kind}" for kind in phase.passed for side in way]
        if phase.held:
            holds = case.watcher if phase.own else case.side
            frame = f"{way[holds]} {phase.held[holds]}"
            self.proxy.tell(f"hold {frame}")
            lines = [line for line in lines if line != f"passed {frame}"] + [f"held {frame}"]
        self.start_client(case)
        self.proxy.await_all(lines)
        time.sleep(phase.settle_seconds)
        assert self.client.poll() is None, self.client.communicate()

    def start_client(self, case):
        self.server.forget_lines()
        self.client = self.hosts["client"].start("sh", "-c", f'rm -f {REPORT}*; exec rdmabench "$@"', "sh", *case.words(),
                                                 ADDRESSES["b"], "-p", self.proxy.port, "--json", REPORT)

    def inject(self, case):
        """The fault; returns when it was there, at the latest."""
        host = self.hosts[case.side]
        if case.fault == "LINK":
            self.cut_off = host
            return self.timed(host.unplug)
        return self.timed(lambda: host.shell(f"kill -{case.fault} $(pgrep -n -x rdmabench)"))

    def timed(self, strike):
        began = time.monotonic()
        strike()
        self.lag = time.monotonic() - began
        return began + self.lag

    def client_ends(self, since, limit):
        """Its report and what it has printed."""
        self.client.wait(timeout=HANGS)
        took = time.monotonic() - since
        _, stderr = self.client.communicate()
        assert self.client.returncode == 1, stderr
        assert took < limit + PROMISE + self.lag, stderr
        return parse_report(self.hosts["client"].shell(f"cat {REPORT}")), stderr

    def server_ends(self, since, limit):
        """The line of its log that says why; it is written when the session's process has ended."""
        why, when = self.server.wait_for_line("dismissed|failed", HANGS)
        assert when - since < limit + PROMISE + self.lag, why
        return why

    def mend(self, case):
        """The cable is in, nobody is stopped."""
        if case.fault == "STOP":
            self.hosts[case.side].shell(GOING_ON)
        self.replug()

    def replug(self):
        if self.cut_off:
            others = [host for host in self.hosts.values() if host is not self.cut_off]
            self.cut_off.plug(others[0])
            self.cut_off = None

    def clear(self):
        """Nothing is left of a case, whatever has become of it."""
        self.hosts["client"].shell("pkill -KILL -x rdmabench || true")
        self.hosts["server"].shell(f"pkill -KILL -P {self.parent}; {GOING_ON}")
        self.replug()
        self.proxy.tell("reset")
        if self.client is not None:
            self.client.communicate(timeout=20)
            self.client = None

    def serve_the_next(self):
        code, report, stderr = self.hosts["client"].test("write_bw", "a", "-p", self.server.port, "-n", "64", "-s", "512", "--warmup", "0")
        assert code == 0 and report["status"] == "complete", stderr


@pytest.fixture(scope="module")
def servers(a, b):
    with Server(a) as server, Proxy(b, server) as proxy:
        made = Arena(a, b, server, proxy)
        yield made
        assert server.alive(), "the server did not survive the tests"


@pytest.fixture
def arena(servers):
    yield servers
    servers.clear()


def check_client(case, report, stderr):
    """Of a client that has watched the server fail."""
    phase = PHASES[case.phase]
    error = report["error"]
    assert (error["host"], error["step"]) == ("client", phase.steps["client"]), stderr
    assert re.search(ENDED[case.fault], error["message"]), stderr
    assert "server" in error["message"] and error["message"] in stderr and error["step"] in stderr
    assert report["status"] == ("partial" if phase.measures else "failed")
    assert [result["complete"] for result in report["results"]] == ([False] if phase.measures else [])
    assert all(result["messages"] > 0 for result in report["results"])


def check_server(case, why):
    """The line of a server that has watched the client fail."""
    assert re.search(PHASES[case.phase].steps["server"], why)
    if case.phase == "hello":
        return  # before it a connection is nobody's, and whether it breaks or is silent tells nothing
    assert "client" in why and re.search(ENDED[case.fault], why)


def check_watcher(arena, case, since):
    if case.watcher == "server":
        check_server(case, arena.server_ends(since, case.limit("server")))
    else:
        check_client(case, *arena.client_ends(since, case.limit("client")))


def check_faulty(arena, case, since):
    """A side that was only cut off sees the same of the other; one that was stopped sees it when it goes on."""
    if case.side == "client" and case.fault == "KILL":
        assert arena.hosts["client"].shell(f"ls {REPORT} || true") == "", "half a report"
    elif case.side == "client":
        report, _ = arena.client_ends(since, case.limit("client"))
        assert report["status"] != "complete" and report["error"]["step"]
    elif case.fault != "KILL":
        arena.server_ends(since, case.limit("server"))


def check_case(arena, case):
    arena.reach(case)
    since = arena.inject(case)
    check_watcher(arena, case, since)
    if case.fault == "LINK":
        check_faulty(arena, case, since)
    if (case.fault, case.side) == ("STOP", "client"):
        arena.serve_the_next()  # who is stopped holds nobody up
    arena.mend(case)
    if case.fault != "LINK":
        check_faulty(arena, case, time.monotonic())
    arena.serve_the_next()


def in_short():
    short = set(short_table())
    return [pytest.param(case, id=str(case), marks=() if case in short else pytest.mark.full) for case in table()]


@pytest.mark.parametrize("case", in_short())
def test_the_other_side_ends_in_time(arena, case):
    check_case(arena, case)


def test_the_table_has_each_pair_of_values():
    pairs_of_values = set().union(*map(pairs, table()))
    assert pairs_of_values == set().union(*map(pairs, all_cases()))
    counts = [len(factor) for factor in FACTORS.values()]
    assert len(pairs_of_values) == sum(one * other for one, other in itertools.combinations(counts, 2))


def test_the_short_table_has_each_pair_of_fault_side_and_phase():
    assert set().union(*map(what_matters_most, short_table())) == set().union(*map(what_matters_most, all_cases()))


@pytest.mark.full
@pytest.mark.parametrize("phase", ["hello", "running"])
def test_a_server_that_is_killed_altogether_ends_its_client(a, b, phase):
    """And its session goes with it."""
    case = next(case for case in all_cases() if (case.fault, case.side, case.phase) == ("KILL", "client", phase))
    before = a.shell("pgrep -x rdmabench || true")
    with Server(a) as server, Proxy(b, server) as proxy:
        arena = Arena(a, b, server, proxy)
        try:
            arena.reach(case)
            report, stderr = arena.client_ends(arena.timed(lambda: a.shell(f"kill -KILL {arena.parent}")), 0.0)
            assert "server" in report["error"]["message"] and report["error"]["step"] == PHASES[phase].steps["client"], stderr
            assert a.shell("pgrep -x rdmabench || true") == before
        finally:
            arena.clear()


@pytest.mark.full
def test_a_server_that_is_stopped_altogether_ends_its_client_and_goes_on(arena):
    a = arena.hosts["server"]
    case = next(case for case in all_cases() if case.phase == "hello")
    arena.timed(lambda: a.shell(f"kill -STOP {arena.parent}"))
    arena.start_client(case)
    arena.proxy.await_all(["passed c2s hello"])  # a stopped server's connections are made all the same
    report, stderr = arena.client_ends(time.monotonic(), HANDSHAKE_TIMEOUT)
    assert report["error"]["step"] == "saying hello", stderr
    a.shell(GOING_ON)
    arena.serve_the_next()
