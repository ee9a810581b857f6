"""Failures that docs/errors.md tells of: each gives its text on both sides, with the facts of the moment."""

import contextlib
import time

import pytest

from hosts import Server, parse_report

REPORT = "/tmp/report.json"
# rdma_rxe takes seven retries, the default, for as many as it wants.
FEW_RETRIES = ["--qp-timeout", "12", "--retry-count", "3", "--stall-timeout", "20"]
BOTH_GIDS = ["::ffff:192.168.77.1 (roce_v2)", "::ffff:192.168.77.2 (roce_v2)"]



def failed_report(b):
    report = parse_report(b.shell(f"cat {REPORT}"))
    assert report["status"] in ("partial", "failed")
    return report


@contextlib.contextmanager
def only_roce_lost(host, which=""):
    """All of RoCE's packets, or those that `which` matches, are lost on their way out; the session's TCP goes on."""
    tc = "tc qdisc replace dev eth1 root handle 1: prio bands 2 priomap" + 16 * " 0"
    below = "tc qdisc add dev eth1 parent 1:2 handle 2: netem loss 100%"
    to_it = f"tc filter add dev eth1 parent 1: protocol ip u32 match ip protocol 17 0xff match ip dport 4791 0xffff {which} flowid 1:2"
    try:
        host.shell(f"{tc} && {below} && {to_it}")
        yield
    finally:
        host.shell("tc qdisc del dev eth1 root")


def test_a_path_that_loses_all(b, server):
    server.forget_lines()
    with only_roce_lost(b):
        code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-s", "64", *FEW_RETRIES)
    assert code == 1, stderr
    error = report["error"]
    assert error["code"] == "IBV_WC_RETRY_EXC_ERR", error
    for text in ["completion status 12", *BOTH_GIDS, "MTU 1024", "eth1 1500", "qdisc_drops", "depth "]:
        assert text in error["message"] and text in stderr
    assert "UDP port 4791" in error["remedy"]
    line, _ = server.wait_for_line("completion status 12", 10)
    assert "peer: " in line and BOTH_GIDS[0] in line


@pytest.mark.parametrize("client, server_options", [("0", ["-x", "1"]), pytest.param("1", ["-x", "0"], marks=pytest.mark.full)])
def test_gids_of_two_kinds(a, b, client, server_options):
    with Server(a, *server_options) as server:
        code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-x", client)
        assert code == 3, stderr
        assert report["error"]["code"] == "gid_pair", report["error"]
        for text in ["no GID of the client can talk to one of the server", "fe80::", "::ffff:192.168.77."]:
            assert text in report["error"]["message"] and text in stderr
        line, _ = server.wait_for_line("no GID of the client", 10)
        assert "fe80::" in line


def test_an_mtu_larger_than_the_path(a, b):
    """Both ports have 4096; on the way between them packets that long are lost, as behind a router that tells nobody."""
    def set_mtu(host, bytes_):
        host.shell(f"ip link set eth1 mtu {bytes_}; ip -6 addr add fd77::{1 if host is a else 2}/64 dev eth1 2>/dev/null", check=False)

    try:
        for host in (a, b):
            set_mtu(host, 4400)
        with Server(a) as server, only_roce_lost(b, "match u16 0x1000 0xf000 at 2"):
            code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-s", "64K", "-m", "4096", *FEW_RETRIES)
            assert code == 1, stderr
            error = report["error"]
            assert error["code"] == "IBV_WC_RETRY_EXC_ERR", error
            assert "MTU 4096 (the port 4096, eth1 4400" in error["message"], error
            assert "MTU" in error["remedy"], error
            server.wait_for_line("MTU 4096", 10)
    finally:
        for host in (a, b):
            set_mtu(host, 1500)


def test_memory_that_may_not_be_locked(a, b):
    """As an ordinary user: root ignores the limit."""
    with Server(a) as server:
        done = b.run("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all",
                     "sh", "-c", f"ulimit -l 64; exec rdmabench write_bw a -p {server.port} --json -", timeout=60)
        error = parse_report(done.stdout)["error"]
        assert done.returncode == 3, done.stderr
        if error["code"].startswith("ibv_open_device"):
            pytest.fail(f"the device's files are not everybody's: {error}")
        assert error["code"] == "memlock" and error["host"] == "client", error
        assert "64 KiB" in error["message"] and "ulimit -l" in error["remedy"]
        line, _ = server.wait_for_line("may lock 64 KiB", 10)
        assert "peer: " in line


def test_more_queue_pairs_than_the_limit(a, b):
    with Server(a, "--limit-qp", "8") as server:
        code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-q", "9", "-s", "64", "-n", "10")
        assert code == 1, stderr
        assert "asked were 9" in report["error"]["message"] and "allows 8" in stderr
        server.wait_for_line("asked were 9", 10)


def test_a_port_that_goes_down_under_way(a, b):
    with Server(a) as server:
        b.shell(f"rm -f {REPORT}")
        client = b.start("rdmabench", "write_bw", "a", "-p", server.port, "-D", "60", "-s", "4K", "--json", REPORT)
        server.wait_for_line("write_bw rc begins", 20)
        time.sleep(3)
        assert client.poll() is None, client.communicate()
        b.unplug()
        try:
            line, _ = server.wait_for_line("silent", 15)
            assert "client" in line
            _, stderr = client.communicate(timeout=20)
        finally:
            b.plug(a)
        assert client.returncode == 1
        report = failed_report(b)
        assert any("IBV_EVENT_PORT_ERR of port 1" in warning for warning in report["warnings"]), report["warnings"]
        assert "IBV_EVENT_PORT_ERR" in stderr
        assert report["error"]["remedy"].startswith("port 1 of rxe0 is down"), report["error"]
        code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-n", "200", "-s", "4K")
        assert code == 0 and report["status"] == "complete", stderr
