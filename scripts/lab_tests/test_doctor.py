"""The doctor on two hosts over rdma_rxe: what is planted is found, with its evidence, and gone when it is mended."""

import contextlib
import json

import jsonschema
import pytest

from hosts import REPOSITORY, Server

VALIDATOR = jsonschema.Draft202012Validator(json.loads((REPOSITORY / "report" / "doctor_schema.json").read_text()))

# An ordinary user who may lock 64 KiB: root is not bound by the limit.
ORDINARY = ["sh", "-c", 'ulimit -l 64 && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"', "sh"]


def doctor(host, *words, before=()):
    """(exit code, document, findings by id and side, stderr); the document is valid or this fails."""
    done = host.run(*before, "rdmabench", "doctor", *words, "--json")
    document = json.loads(done.stdout)
    VALIDATOR.validate(document)
    findings = {(finding["id"], finding["side"]): finding for finding in document["findings"]}
    assert document["severe"] == any(finding["severity"] == "severe" for finding in document["findings"])
    return done.returncode, document, findings, done.stderr


@contextlib.contextmanager
def mtu(host, size):
    host.shell(f"ip link set eth1 mtu {size}")
    try:
        yield
    finally:
        host.shell("ip link set eth1 mtu 1500")


def test_rxe_is_found_on_both_sides_and_is_not_severe(b, server):
    code, document, findings, stderr = doctor(b, "a", "-p", server.port)
    assert code == 0, stderr
    for side in ("client", "server"):
        assert "rdma_rxe on eth1" in findings["software_device", side]["what"]
        assert "parent: eth1" in findings["software_device", side]["evidence"]
    assert not any(side == "both" for _, side in findings)
    assert [host["role"] for host in document["hosts"]] == ["client", "server"]
    for host in document["hosts"]:
        assert host["facts"]["device"] == "rxe0" and host["facts"]["active_mtu_bytes"] == 1024
        assert host["facts"]["netdev_mtu_bytes"] == 1500 and host["facts"]["rdma_core"]


def test_what_matters_is_a_warning_of_every_report_in_the_same_words(b, server):
    _, _, findings, _ = doctor(b, "a", "-p", server.port)
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-s", "64", "-n", "10")
    assert code == 0, stderr
    for side in ("client", "server"):
        finding = findings["software_device", side]
        line = f"{side}: {finding['what']}: {finding['effect']}; remedy: {finding['remedy']}"
        assert line in report["warnings"]


def test_the_text_has_evidence_effect_and_remedy(b, server):
    done = b.run("rdmabench", "doctor", "a", "-p", server.port)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("warning  server  software_device: "))
    for offset, word in enumerate(("evidence", "effect", "remedy"), start=1):
        assert lines[place + offset].split()[0] == word
    assert "warnings" in lines[-1]


@pytest.mark.parametrize("words, id, texts", [
    (["-d", "nope"], "no_device", ["\"nope\"", "there are: rxe0 (eth1)"]),
    (["-d", "rxe0", "-i", "2"], "port_state", ["rxe0 has no port 2; it has port 1 only"]),
    (["-d", "rxe0:3"], "port_state", ["rxe0 has no port 3"]),
    (["-d", "rxe0", "-x", "99"], "gid", ["--gid-index 99 is not in use on rxe0 port 1"]),
], ids=lambda value: "_".join(value) if isinstance(value, list) else "")
def test_what_was_named_and_is_not_there_is_severe(b, words, id, texts):
    code, document, findings, stderr = doctor(b, *words)
    assert code == 4 and document["severe"], stderr
    for text in texts:
        assert text in findings[id, "client"]["what"]


def test_an_mtu_that_differs(b, a, server):
    with mtu(a, 4200):
        code, _, findings, stderr = doctor(b, "a", "-p", server.port)
        assert code == 0, stderr
        assert findings["mtu_differs", "both"]["severity"] == "warning"
        evidence = findings["mtu_differs", "both"]["evidence"]
        assert evidence.startswith("of client's rxe0 port 1 (eth1) and server's rxe0 port 1 (eth1): ")
        assert "active_mtu_bytes: client 1024, server 4096" in evidence
        assert "netdev_mtu_bytes: client 1500, server 4200" in evidence
        assert ("mtu", "client") in findings and ("mtu", "server") not in findings
    _, _, findings, _ = doctor(b, "a", "-p", server.port)
    assert ("mtu_differs", "both") not in findings


def test_a_port_that_is_down(b):
    b.shell("ip link set eth1 down")
    try:
        code, _, findings, stderr = doctor(b)
    finally:
        b.shell("ip link set eth1 up; ip -6 addr add fd77::2/64 dev eth1 2>/dev/null; sleep 1", check=False)
    assert code == 4, stderr
    assert findings["port_state", "client"]["severity"] == "severe"
    assert "1: DOWN" in findings["port_state", "client"]["evidence"]
    assert "ip link set dev eth1 up" in findings["port_state", "client"]["remedy"]
    code, _, findings, stderr = doctor(b)
    assert code == 0, stderr
    assert ("port_state", "client") not in findings


@pytest.fixture(scope="module")
def ordinary_server(a):
    with Server(a, before=ORDINARY) as running:
        yield running
        assert running.alive()


def test_memlock_of_an_ordinary_user_on_both_sides(b, ordinary_server):
    code, _, findings, stderr = doctor(b, "a", "-p", ordinary_server.port, before=ORDINARY)
    assert code == 4, stderr
    for side in ("client", "server"):
        finding = findings["memlock", side]
        assert finding["severity"] == "severe"
        assert "64 KiB" in finding["what"] and "65536 KiB" in finding["what"]
        assert "64 KiB" in finding["evidence"]
        assert "limits.d" in finding["remedy"] and "LimitMEMLOCK" in finding["remedy"]


def test_a_run_that_memlock_stops_says_so_on_both_sides(b, server, ordinary_server):
    words = ("may lock 64 KiB", "needs", "KiB more", "limits.d")
    own = b.run(*ORDINARY, "rdmabench", "write_bw", "a", "-p", server.port, "-n", "10")
    assert own.returncode == 3, own.stderr
    ordinary_server.forget_lines()
    other = b.run("rdmabench", "write_bw", "a", "-p", ordinary_server.port, "-n", "10")
    assert other.returncode != 0
    line, _ = ordinary_server.wait_for_line("may lock", 20)
    for text in (own.stderr, other.stderr, line):
        for word in words:
            assert word in text, text


def test_a_device_that_is_named(b):
    code, document, _, stderr = doctor(b, "-d", "rxe0", "-i", "1", "-x", "1")
    assert code == 0, stderr
    assert document["hosts"][0]["facts"]["device"] == "rxe0"
    done = b.run("rdmabench", "doctor", "-d", "mlx5_9")
    assert done.returncode == 4 and "rxe0" in done.stdout


def test_this_machines_account_is_there_though_nobody_answers(b):
    code, document, findings, stderr = doctor(b, "a", "-p", "1", "--connect-timeout", "1")
    assert code == 1
    assert "nobody listens" in stderr and "nobody listens" in document["error"]["message"]
    assert document["error"]["code"] == "nobody_listens"
    assert len(document["hosts"]) == 1 and ("software_device", "client") in findings
