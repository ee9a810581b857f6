"""Two devices of each host at once, each pair on a network of its own, by the report and by the kernel's own counters."""

import json

import pytest

from hosts import Host, Server
from own_lab import own_lab

NETDEVS = {"rxe0": "eth1", "rxe1": "eth2"}
MESSAGES = 256
MTU = 1024
SIZE = 4096
PACKETS = MESSAGES * SIZE // MTU  # of one device's messages


@pytest.fixture(scope="module")
def hosts():
    with own_lab("--rails", "2"):
        yield Host("a"), Host("b")


@pytest.fixture(scope="module")
def server(hosts):
    with Server(hosts[0]) as running:
        yield running
        assert running.alive(), "the server did not survive the tests"


def write(host, server, *options):
    """A run of so many messages of each device: (exit code, report, stderr)."""
    return host.test("write_bw", "a", "-p", server.port, "-s", SIZE, "-n", MESSAGES, "--warmup", "0", "--peer-timeout", "20", *options)


def packets(host, netdev, direction):
    return int(host.shell(f"cat /sys/class/net/{netdev}/statistics/{direction}_packets"))


@pytest.mark.parametrize("devices", ["all", "rxe1,rxe0"])
def test_both_devices_carry_their_share(hosts, server, devices):
    a, b = hosts
    before = {netdev: (packets(b, netdev, "tx"), packets(a, netdev, "rx")) for netdev in NETDEVS.values()}
    code, report, stderr = write(b, server, "-d", devices)
    assert code == 0, stderr
    for netdev, (sent, received) in before.items():
        assert packets(b, netdev, "tx") - sent >= PACKETS
        assert packets(a, netdev, "rx") - received >= PACKETS

    result = report["results"][0]
    assert result["messages"] == 2 * MESSAGES and result["queue_pairs"] == result["threads"] == 2
    rails = result["rails"]
    assert [rail["client_device"] for rail in rails] == (["rxe0", "rxe1"] if devices == "all" else ["rxe1", "rxe0"])
    for rail in rails:
        assert rail["server_device"] == rail["client_device"], "each is joined to the one in its subnet"
        assert rail["messages"] == rail["sent_messages"] == MESSAGES
        assert rail["counters"]["client"]["sent_pkts"] >= PACKETS
        assert rail["counters"]["server"]["rcvd_pkts"] >= PACKETS
    assert sum(rail["bytes_per_second"] for rail in rails) == pytest.approx(result["bandwidth"]["bytes_per_second"])
    assert {host_rail["paired_by"] for host_rail in report["hosts"][1]["rails"]} == {"session", "subnet"}
    checks = {check["name"]: check for check in result["checks"]}
    assert checks["ports_count_the_packets"]["ok"]
    assert checks["ports_count_the_packets"]["figures"]["needed_packets"] == 2 * PACKETS


def test_one_device_finds_the_one_in_its_subnet(hosts, server):
    _, b = hosts
    code, report, stderr = write(b, server, "-d", "eth2")
    assert code == 0, stderr
    assert [host["device"]["name"] for host in report["hosts"]] == ["rxe1", "rxe1"]
    assert "rails" not in report["results"][0] and "rails" not in report["hosts"][0]
    assert report["results"][0]["effective"]["server_gid"]["text"] == "::ffff:192.168.78.1"


def test_a_round_trip_over_each_is_measured_at_once(hosts, server):
    _, b = hosts
    code, report, stderr = b.test("send_lat", "a", "-p", server.port, "-d", "all", "-n", "64", "--peer-timeout", "20")
    assert code == 0, stderr
    result = report["results"][0]
    assert result["latency"]["samples"] == 128
    assert [rail["messages"] for rail in result["rails"]] == [64, 64]


def test_a_device_in_another_subnet_is_warned_about_before_nothing_arrives(hosts, server):
    _, b = hosts
    code, report, stderr = write(b, server, "-d", "rxe0", "--remote-device", "rxe1", "-u", "8", "--stall-timeout", "5")
    assert code == 1, stderr
    fact = "the client's GID 1 ::ffff:192.168.77.2 and the server's GID 1 ::ffff:192.168.78.1 are in different subnets (/24)"
    warning = f"from rxe0 to rxe1: {fact}"
    assert any(warning in line for line in report["warnings"]) and f"warning: {warning}" in stderr
    assert fact in report["error"]["remedy"], report["error"]


@pytest.mark.parametrize("options, code, texts", [
    (["-d", "rxe0,rxe1", "--remote-device", "rxe0"], 2, ["--ib-dev rxe0,rxe1 names 2 devices", "--remote-device rxe0 names 1 device"]),
    (["-d", "all", "--remote-device", "rxe1"], 2, ["2 devices (rxe0,rxe1)", "1 device (rxe1)"]),
    (["-d", "all", "--remote-device", "rxe0,rxe7"], 3, ["rxe7", "rxe0 (eth1)"]),
    (["-d", "rxe0,eth1"], 2, ["--ib-dev rxe0,eth1 names rxe0 port 1 twice"]),
    (["-d", "all", "-R"], 2, ["--rdma-cm does not go with several devices (--ib-dev)"]),
], ids=lambda value: "_".join(value) if isinstance(value, list) else "")
def test_a_pairing_that_does_not_go_is_refused(hosts, server, options, code, texts):
    _, b = hosts
    done = b.run("rdmabench", "write_bw", "a", "-p", server.port, "-n", "64", *options)
    assert done.returncode == code, done.stderr
    for text in texts:
        assert text in done.stderr


def test_the_doctor_compares_the_second_rail_with_the_second(hosts, server):
    _, b = hosts
    done = b.run("rdmabench", "doctor", "a", "-p", server.port, "-d", "rxe1", "--remote-device", "rxe1", "--json")
    assert done.returncode == 0, done.stderr
    hosts_facts = [host["facts"] for host in json.loads(done.stdout)["hosts"]]
    assert [facts["device"] for facts in hosts_facts] == ["rxe1", "rxe1"]


def test_a_server_with_devices_of_its_own_grants_no_other(hosts):
    a, b = hosts
    with Server(a, "-d", "rxe1") as server:
        done = b.run("rdmabench", "write_bw", "a", "-p", server.port, "-n", "64", "--remote-device", "rxe0")
        assert done.returncode == 1
        assert "--remote-device rxe0" in done.stderr and "--ib-dev rxe1" in done.stderr
        done = b.run("rdmabench", "doctor", "a", "-p", server.port, "--remote-device", "rxe0")
        assert done.returncode == 1
        assert "--remote-device rxe0" in done.stderr and "--ib-dev rxe1" in done.stderr
        done = b.run("rdmabench", "write_bw", "a", "-p", server.port, "-n", "64", "-d", "all")
        assert done.returncode == 1
        assert "2 devices (rxe0,rxe1)" in done.stderr and "1 device (rxe1)" in done.stderr
