"""Faults × sides × phases × metrics × kinds of connection: which of them are tested, and what is expected of each."""

import itertools
import random
from typing import NamedTuple


class Phase(NamedTuple):
    """A step of a run in which a side gets into trouble while the other, the watcher, waits for it."""

    name: str
    # The frame that keeps the watcher waiting: the faulty side's, except for `own`, where it is the watcher's, so that it is
    # the faulty side that has not begun its part. None: nothing is held, and the step lasts.
    held: dict | None
    # Relayed, in the order of client's and server's, before the fault: only then the watcher is in its step.
    passed: tuple
    steps: dict  # of the watcher: what its text names
    own: bool = False
    accepted: bool = True  # heartbeats count from the plan's acceptance on; before, a handshake has its time
    measures: bool = False  # a window is open, so that the client has results
    options: tuple = ("-n", "100")
    settle_seconds: float = 0.0


def both(word):
    return {"client": word, "server": word}


# A server that moves nothing itself has no step of its own for the client's warm-up, and cannot know when its window closes.
PHASES = {phase.name: phase for phase in (
    Phase("hello", {"client": "hello", "server": "welcome"}, (), {"client": "saying hello", "server": "hello"}, accepted=False),
    Phase("plan", {"client": "plan", "server": "accepted"}, (),
          {"client": "agreeing on the plan", "server": "awaiting the plan"}, accepted=False),
    Phase("peer_info", both("peer"), (), both("exchanging peer information")),
    Phase("connecting", both("peer"), ("peer",), both("connecting the queue pairs"), own=True),
    Phase("ready", both("ready"), (), both("getting ready")),
    Phase("warm_up", None, ("ready",), {"client": "warming up", "server": "warming up|getting ready"},
          options=("--warmup", "20s"), settle_seconds=1.0),
    Phase("running", None, ("run",), both("running"), measures=True, options=("-D", "60"), settle_seconds=2.0),
    Phase("results", both("results"), (), {"client": "exchanging results", "server": "exchanging results|running"}, measures=True),
)}

# The ops, too, are mixed: such that the server sends, receives, or moves nothing.
WORDS = {
    ("bw", "rc"): ("write_bw",), ("lat", "rc"): ("write_lat",),
    ("bw", "uc"): ("send_bw", "-c", "uc"), ("lat", "uc"): ("write_lat", "-c", "uc"),
    ("bw", "ud"): ("send_bw", "-c", "ud"), ("lat", "ud"): ("send_lat", "-c", "ud"),
    ("bw", "rc_cm"): ("send_bw", "-R"), ("lat", "rc_cm"): ("read_lat", "-R"),
    ("bw", "ud_cm"): ("send_bw", "-c", "ud", "-R"), ("lat", "ud_cm"): ("send_lat", "-c", "ud", "-R"),
}

FACTORS = {
    "fault": ("KILL", "STOP", "LINK"),  # signals, and the cable that is pulled
    "side": ("client", "server"),
    "phase": tuple(PHASES),
    "metric": ("bw", "lat"),
    "kind": ("rc", "uc", "ud", "rc_cm", "ud_cm"),
}

HELLO_TIMEOUT = 5.0
HANDSHAKE_TIMEOUT = 10.0
PEER_TIMEOUT = 1.5


class Case(NamedTuple):
    fault: str
    side: str  # the faulty one
    phase: str
    metric: str
    kind: str

    @property
    def watcher(self):
        return "server" if self.side == "client" else "client"

    def words(self):
        return [*WORDS[self.metric, self.kind], "-s", "512", *PHASES[self.phase].options]

    def limit(self, observed):
        """Seconds that the observed side may take to notice."""
        if self.fault == "KILL":
            return 0.0
        if PHASES[self.phase].accepted:
            return PEER_TIMEOUT
        in_the_lobby = self.phase == "hello" and observed == "server" and self.side == "client"
        return HELLO_TIMEOUT if in_the_lobby else HANDSHAKE_TIMEOUT

    def __str__(self):
        return "-".join(self)


def values(case):
    return set(enumerate(case))


def pairs(case):
    return set(itertools.combinations(enumerate(case), 2))


def what_matters_most(case):
    """Pairs of fault, side and phase, and the other values."""
    return values(case) | set(itertools.combinations(list(enumerate(case))[:3], 2))


def all_cases():
    return [Case(*each) for each in itertools.product(*FACTORS.values())]


def covering(cases, parts, chosen=()):
    """As few of the cases as a greedy choice takes to have, with those that are chosen, each part that any of them has."""
    chosen = list(chosen)
    missing = set().union(*map(parts, cases)) - set().union(*map(parts, chosen))
    while missing:
        chosen.append(max(cases, key=lambda case: len(parts(case) & missing)))
        missing -= parts(chosen[-1])
    return chosen


def shuffled():
    cases = all_cases()
    random.Random(6).shuffle(cases)
    return cases


def short_table():
    """Each pair of fault, side and phase is in one of these, of those that are soon over, and each value."""
    return covering(sorted(shuffled(), key=lambda case: case.limit(case.watcher) > PEER_TIMEOUT), what_matters_most)


def table():
    """Each pair of values is in one of these. All pairs are possible."""
    return covering(shuffled(), pairs, short_table())
