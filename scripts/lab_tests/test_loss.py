"""Packets that netem drops, doubles or overtakes on the sender's way out, and what the report says of the messages in them."""

import contextlib
import json

import pytest

ROCE_PORT = 4791
# Far below what the receiver takes, so that what is missing is what netem has dropped. A message is one packet.
PACE = ["--rate", "1500pps", "-s", "512", "--warmup", "0"]
# The session, the credits' way and the receiver's own patience; the messages themselves take as long as their pace says.
OVERHEAD_SECONDS = 6

NUMBERED = [
    ("send_bw", "uc"), ("send_imm_bw", "ud"),
    pytest.param("send_bw", "ud", marks=pytest.mark.full), pytest.param("write_imm_bw", "uc", marks=pytest.mark.full),
]


@contextlib.contextmanager
def netem(host, *what):
    """netem for the packets to RoCE's UDP port alone: the session's TCP takes the other band."""
    tc = "tc qdisc replace dev eth1 root handle 1: prio bands 2 priomap" + 16 * " 0"
    netem_below = "tc qdisc add dev eth1 parent 1:2 handle 2: netem limit 10000 " + " ".join(what)
    to_it = f"tc filter add dev eth1 parent 1: protocol ip u32 match ip protocol 17 0xff match ip dport {ROCE_PORT} 0xffff flowid 1:2"
    try:
        host.shell(f"{tc} && {netem_below} && {to_it}")
        yield
    finally:
        host.shell("tc qdisc del dev eth1 root")


def counted(host):
    """What netem let go and what it dropped until now."""
    entries = json.loads(host.shell("tc -s -j qdisc show dev eth1"))
    entry = next(entry for entry in entries if entry["kind"] == "netem")
    return entry["packets"], entry["drops"]


def measure(b, server, test, qp_type, messages, *options):
    """The one direction of a run of so many messages, whose checks hold, and that took no longer than its pace."""
    code, report, stderr = b.test(test, "a", "-p", server.port, "-c", qp_type, "-n", messages, *PACE, *options)
    assert code == 0, stderr
    (result,) = report["results"]
    (direction,) = result["traffic"]
    checks = {check["name"]: check for check in result["checks"]}
    assert checks["received_as_sent"]["ok"], checks
    assert result["window_seconds"] < messages / 1500 + OVERHEAD_SECONDS
    assert result["messages"] == direction["received"]["messages"], "the headline is the receiver's"
    assert direction["sent"]["messages"] == messages
    return direction, checks


@pytest.mark.parametrize("test, qp_type", [pytest.param("send_bw", "uc", marks=pytest.mark.full), ("send_bw", "ud")])
def test_the_loss_is_that_of_the_qdisc(b, server, test, qp_type):
    with netem(b, "loss", "1%"):
        direction, _ = measure(b, server, test, qp_type, 10_000)
        packets, drops = counted(b)
    delivery = direction["delivery"]
    assert drops > 50
    assert delivery["loss_ratio"] == pytest.approx(drops / (packets + drops), rel=0.1)
    assert delivery["lost"] == direction["sent"]["messages"] - direction["received"]["messages"]
    assert delivery["duplicated"] == delivery["reordered"] == delivery["late"] == 0


@pytest.mark.parametrize("test, qp_type", NUMBERED)
def test_duplicates_are_seen_as_such(b, server, test, qp_type):
    with netem(b, "duplicate", "5%"):
        direction, _ = measure(b, server, test, qp_type, 1500)
    delivery = direction["delivery"]
    assert 1500 * 0.02 < delivery["duplicated"] < 1500 * 0.1
    assert direction["received"]["messages"] == 1500 + delivery["duplicated"]
    assert delivery["lost"] == delivery["reordered"] == delivery["late"] == 0


@pytest.mark.parametrize("test, qp_type", NUMBERED)
def test_reordering_is_seen_as_such(b, server, test, qp_type):
    """One packet in twenty leaves at once, and overtakes those that netem holds for 20 ms."""
    with netem(b, "delay", "20ms", "reorder", "5%"):
        direction, _ = measure(b, server, test, qp_type, 1500)
    delivery = direction["delivery"]
    assert delivery["reordered"] > 1500 * 0.02
    assert 1 <= delivery["furthest_behind"] < 500
    assert delivery["lost"] == delivery["duplicated"] == delivery["late"] == 0


def test_rc_loses_nothing_and_says_what_that_took(b, server):
    with netem(b, "loss", "1%"):
        direction, checks = measure(b, server, "send_bw", "rc", 1500, "-u", "12", "--peer-timeout", "20", "--stall-timeout", "30")
        _, drops = counted(b)
    assert drops > 0
    assert "delivery" not in direction
    assert direction["received"]["messages"] == direction["sent"]["messages"]
    retransmissions = checks["no_errors_counted"]
    assert not retransmissions["ok"]
    assert sum(retransmissions["figures"].values()) >= drops / 2, retransmissions


def test_a_uc_write_says_that_it_does_not_know(b, server):
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-c", "uc", "-n", "200", "-s", "512")
    assert code == 0, stderr
    assert report["results"][0]["traffic"][0]["delivery"] == {"status": "unknown"}
