"""Somebody with bad intentions, at an address of its own, against a running server that an honest client goes on using.

The attacks stand in attacker/, run in host b, and each is a case here. What they are all together is run once for each kind of
server; the cases then look at what was seen.
"""

import contextlib
import dataclasses
import importlib.util
import pathlib
import re
import time

import pytest

from hosts import Program, Server

ATTACKER = pathlib.Path(__file__).parent / "attacker"
WATCH = pathlib.Path(__file__).parent / "watch.py"
ADDRESS = "192.168.77.66"
SECRET = "/tmp/attack-secret"
ALLOWED_GROWTH_KIB = 16 * 1024
# A client's own deadline for an answer; insiders may be before it in the queue.
SERVED_WITHIN_SECONDS = 30
AMONG_INSIDERS_SECONDS = 60
LOG_LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z \S")


def load_rows():
    spec = importlib.util.spec_from_file_location("attacker", ATTACKER / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.rows


def cases(has_secret, full_only):
    rows = load_rows()
    short = {name for name, _ in rows(has_secret, full=False)}
    return [pytest.param(name, marks=[pytest.mark.full] if full_only or name not in short else []) for name, _ in rows(has_secret, full=True)]


@dataclasses.dataclass
class Campaign:
    """What was seen of one server."""

    attacks: dict = dataclasses.field(default_factory=dict)
    honest: list = dataclasses.field(default_factory=list)
    fresh: dict = None  # watch.py's words: of the server that nobody has used
    calm: dict = None  # with the honest client alone
    attacked: dict = None
    after: dict = None
    log: list = dataclasses.field(default_factory=list)
    survived: bool = False
    faults: str = ""


@contextlib.contextmanager
def address_of_its_own(b):
    b.shell(f"ip addr add {ADDRESS}/24 dev eth1")
    try:
        yield
    finally:
        b.shell(f"ip addr del {ADDRESS}/24 dev eth1")


def attack(a, b, server, words):
    seen = Campaign()
    pid = a.listener(server.port)
    a.put(WATCH, "/tmp/watch.py")
    b.put(ATTACKER, "/tmp/attacker")
    words = ["/tmp/attacker", "--port", server.port, "--address", ADDRESS, *words]
    with Program(a, "/tmp/watch.py", pid) as watch, address_of_its_own(b), Program(b, *words) as attacker:
        seen.fresh = watch.ask()
        assert attacker.hear() == {"calm": True}
        seen.calm = watch.ask()
        attacker.go_on()
        while "honest" not in (answer := attacker.hear()):
            seen.attacks[answer.pop("attack")] = answer
        seen.honest = answer["honest"]
        seen.attacked = watch.ask()
        time.sleep(2)
        seen.after = watch.ask()
    seen.survived = server.alive() and seen.after["processes"] == 1
    seen.faults = a.shell("dmesg | grep -E 'rdmabench.*(segfault|general protection|traps)|Out of memory' || true")
    seen.log = server.lines.take()
    return seen


def campaign(a, b, options, has_secret):
    words = ["--secret-file", SECRET] if has_secret else []
    how = ["--full"] if options.getoption("--full") else []
    if options.getoption("--sanitizer"):
        how += ["--slowness", "4"]
    for host in (a, b):
        host.shell(f"umask 077; echo 'only for this test, and no other' >{SECRET}")
    with Server(a, *words) as server:
        return attack(a, b, server, words + how)


@pytest.fixture(scope="module")
def guarded(request, a, b):
    return campaign(a, b, request.config, has_secret=True)


@pytest.fixture(scope="module")
def unguarded(request, a, b):
    return campaign(a, b, request.config, has_secret=False)


def check_attack(seen, name):
    problem = seen.attacks[name]["problem"]
    assert problem is None, problem


@pytest.mark.sanitizer
@pytest.mark.parametrize("name", cases(has_secret=True, full_only=False))
def test_a_server_with_a_secret_withstands(guarded, name):
    check_attack(guarded, name)


@pytest.mark.sanitizer
@pytest.mark.parametrize("name", cases(has_secret=False, full_only=True))
def test_a_server_without_a_secret_withstands(unguarded, name):
    check_attack(unguarded, name)


@pytest.fixture(params=["guarded", pytest.param("unguarded", marks=pytest.mark.full)])
def seen(request):
    return request.getfixturevalue(request.param)


@pytest.mark.sanitizer
def test_the_server_lives_and_no_session_of_its_has_crashed(seen):
    assert seen.survived
    assert not seen.faults
    crashed = [line for line in seen.log if re.search(r"signal \d+", line)]
    assert not crashed


def test_an_honest_client_is_served_all_the_while(seen):
    wrong = []
    for run in seen.honest:
        among = [name for name, attack in seen.attacks.items() if attack["began"] < run["ended"] and attack["ended"] > run["began"]]
        allowed = AMONG_INSIDERS_SECONDS if any(name.startswith("insider") for name in among) else SERVED_WITHIN_SECONDS
        took = run["ended"] - run["began"]
        if run["code"] != 0 or took > allowed:
            wrong.append(f"exit code {run['code']} after {took:.1f} s during {among}: {run['stderr']}")
    assert not wrong, "\n".join(wrong)
    assert len(seen.honest) > 10


def test_memory_does_not_grow(seen):
    assert seen.attacked["peak_pss_kib"] - seen.calm["peak_pss_kib"] < ALLOWED_GROWTH_KIB
    assert seen.attacked["hwm_kib"] - seen.calm["hwm_kib"] < ALLOWED_GROWTH_KIB
    assert seen.after["pss_kib"] - seen.fresh["pss_kib"] < ALLOWED_GROWTH_KIB


@pytest.mark.sanitizer
def test_descriptors_and_processes_are_back(seen):
    assert seen.after["descriptors"] == seen.fresh["descriptors"]
    assert seen.after["processes"] == seen.fresh["processes"] == 1


@pytest.mark.sanitizer
def test_no_line_of_the_log_is_forged(seen):
    """What the server quotes of others neither begins a line nor commands a terminal."""
    assert any("FORGED" in line for line in seen.log), "nothing was quoted: this test says nothing"
    for line in seen.log:
        assert LOG_LINE.match(line) and line.isprintable(), line
        assert "FORGED" not in line or ADDRESS in line.split("FORGED")[0], line
