"""What a run costs, what bounds it, and what the interface and its queueing discipline drop, between two hosts over rdma_rxe."""

import json

import pytest

SIDES = ("client", "server")


def checks_of(result):
    return {check["name"]: check for check in result["checks"]}


def dropped(host):
    """By the queueing discipline of the link so far, as tc tells."""
    return json.loads(host.shell("tc -s -j qdisc show dev eth1 root"))[0]["drops"]


@pytest.fixture
def lossy(b):
    """One in twenty packets of the client is dropped before it reaches the interface."""
    b.shell("tc qdisc add dev eth1 root netem loss 5%")
    try:
        yield
    finally:
        b.shell("tc qdisc del dev eth1 root")


def test_what_a_queueing_discipline_drops_is_seen(b, server, lossy):
    before = dropped(b)
    code, report, stderr = b.test("send_bw", "a", "-p", server.port, "-c", "ud", "-s", "256", "-n", "2048", "--peer-timeout", "20")
    assert code == 0, stderr
    result = report["results"][0]
    assert 0 < result["counters"]["client"]["qdisc_drops"] <= dropped(b) - before
    assert "qdisc_drops" not in result["counters"]["server"]
    check = checks_of(result)["no_errors_counted"]
    assert not check["ok"]
    assert check["figures"]["client_qdisc_drops"] == result["counters"]["client"]["qdisc_drops"]
    assert "the queueing discipline dropped" in check["text"]


def test_a_healthy_link_drops_nothing_and_its_interfaces_count_the_packets(b, server):
    code, report, stderr = b.test("send_bw", "a", "-p", server.port, "-s", "1K", "-n", "1024")
    assert code == 0, stderr
    result = report["results"][0]
    for side, direction in zip(SIDES, ("tx", "rx")):
        moved = result["counters"][side]
        assert not [name for name in moved if "drop" in name]
        assert moved[f"netdev_{direction}_packets"] >= result["messages"]
    assert result["counters"]["client"]["qdisc_packets"] >= result["messages"]


@pytest.mark.parametrize("test, workers", [("write_bw", SIDES[:1]), ("send_bw", SIDES), ("read_lat", SIDES[:1])])
def test_processor_time_is_above_zero_and_below_the_window(b, server, test, workers):
    """Each host has one core, and one worker of which a window is made."""
    code, report, stderr = b.test(test, "a", "-p", server.port, "-s", "4K", "-D", "1")
    assert code == 0, stderr
    result = report["results"][0]
    for side in SIDES:
        cost = result["cpu"][side]
        assert cost["elapsed_seconds"] >= result["window_seconds"]
        process = cost["process_user_seconds"] + cost["process_system_seconds"]
        assert 0 < process <= cost["elapsed_seconds"] * 1.01
        assert cost["process_seconds_per_message"] == pytest.approx(process / result["messages"])
        assert 0 <= cost["host_softirq_seconds"] <= cost["elapsed_seconds"] * 1.01
        assert ("worker_user_seconds" in cost) == (side in workers)
        if side in workers:
            worker = cost["worker_user_seconds"] + cost["worker_system_seconds"]
            assert 0 < worker <= min(process * 1.01, cost["elapsed_seconds"])
            # A virtual machine has no such counters: the reason says which is not there.
            assert "user_cycles_per_message" in cost or cost["why_no_events"].startswith("user_cycles: ")


def test_an_invented_link_speed_is_no_bound(b, server):
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-s", "4K", "-n", "256")
    assert code == 0, stderr
    result = report["results"][0]
    assert [limit["name"] for limit in result["bounds"]["limits"]] == ["link", "pcie_client", "pcie_server", "window"]
    for limit in result["bounds"]["limits"]:
        assert "bytes_per_second" not in limit and limit["text"]
    assert "rdma_rxe" in result["bounds"]["limits"][0]["text"]
    assert "lowest" not in result["bounds"] and "achieved_share" not in result["bounds"]
    assert "rate_within_bounds" not in checks_of(result)


def test_a_measured_round_trip_bounds_what_is_in_flight(b, server):
    """With two READs in flight the rate is near the bound, and not above it."""
    suite = {"tests": [{"test": "read_lat", "run": {"message_bytes": [8], "iterations": 200}},
                       {"test": "read_bw", "queue": {"read_depth": 2}, "run": {"message_bytes": [8], "iterations": 512}}]}
    b.run("sh", "-c", "cat > /tmp/bound.json", input=json.dumps(suite), check=True)
    code, report, stderr = b.test("run", "/tmp/bound.json", "a", "-p", server.port)
    assert code == 0, stderr
    latency, rate = report["results"]
    assert "bounds" not in latency
    assert rate["bounds"]["lowest"] == "window"
    window = rate["bounds"]["limits"][3]
    assert window["bytes_per_second"] == pytest.approx(2 * 8 / (latency["latency"]["min_ns"] * 1e-9), rel=1e-3)
    assert 0 < rate["bounds"]["achieved_share"] <= 1
    assert checks_of(rate)["rate_within_bounds"]["ok"]


def test_the_text_says_what_is_known(b, server):
    done = b.run("rdmabench", "write_bw", "a", "-p", server.port, "-s", "4K", "-n", "256", check=True)
    assert "no bound of the rate is known: neither rdma_rxe" in done.stdout
    assert "processor time of a message at 4 KiB: client " in done.stdout
