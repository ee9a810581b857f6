"""write_bw between two hosts over rdma_rxe: the numbers, and the truth from outside."""

import json
import re
import subprocess

import pytest

from hosts import REPOSITORY, Server, parse_report, without_warnings

# What RoCE v2 over IPv4 adds to each packet on the interface: Ethernet 14, IP 20, UDP 8, BTH 12, ICRC 4; and to the first packet of a
# WRITE the RETH (IBTA vol. 1, 9.3; annex A17).
PACKET_HEADERS = 14 + 20 + 8 + 12 + 4
RETH = 16


def counters(host):
    """rxe's packets sent, retransmissions it knows of, and the interface's bytes sent."""
    text = host.shell(
        "cd /sys/class/infiniband/rxe0/ports/1/hw_counters && cat sent_pkts completer_retry_err retry_exceeded_err"
        " rcvd_seq_err && cat /sys/class/net/eth1/statistics/tx_bytes")
    packets, retries, exceeded, sequence, tx_bytes = map(int, text.split())
    return {"packets": packets, "retries": retries + exceeded + sequence, "tx_bytes": tx_bytes}


def sent_messages(result):
    """Counted ones and warm-up."""
    return result["messages"] + result["effective"]["warmup_messages"]


def test_prints_only_a_valid_document_whose_rate_is_bytes_over_window(b, server):
    code, report, _ = b.test("write_bw", "a", "-p", server.port, "-s", "64,4K,64K", "-D", "1")
    assert code == 0
    assert report["status"] == "complete"
    assert [result["message_bytes"] for result in report["results"]] == [64, 4096, 65536]
    for result in report["results"]:
        assert result["messages"] > 0
        assert result["bytes"] == result["messages"] * result["message_bytes"]
        rate = result["bytes"] / result["window_seconds"]
        assert result["bandwidth"]["bytes_per_second"] == pytest.approx(rate, rel=1e-3)
        assert result["bandwidth"]["messages_per_second"] == pytest.approx(
            result["messages"] / result["window_seconds"], rel=1e-3)
        assert result["window_seconds"] >= 0.99
        assert all(check["ok"] for check in result["checks"])


def test_describes_both_hosts_and_what_was_agreed(b, server):
    _, report, _ = b.test("write_bw", "a", "-p", server.port, "-n", "100")
    client, serving = report["hosts"]
    assert (client["role"], serving["role"]) == ("client", "server")
    assert (client["name"], serving["name"]) == ("b", "a")
    for host in report["hosts"]:
        assert host["device"]["name"] == "rxe0"
        assert host["device"]["driver"] == "rdma_rxe"
        assert host["device"]["netdev"] == "eth1"
        assert "link_gbps" not in host["device"], "rxe invents its link speed"
        assert host["placement"]["worker_cpus"]
    effective = report["results"][0]["effective"]
    assert effective["mtu_bytes"] == 1024
    assert effective["client_gid"]["type"] == effective["server_gid"]["type"] == "roce_v2"
    assert effective["client_gid"]["text"].startswith("::ffff:")
    assert effective["iterations_per_queue_pair"] == 100


def test_the_kernels_counters_account_for_the_payload(b, server):
    before = counters(b)
    code, report, _ = b.test("write_bw", "a", "-p", server.port, "-s", "64,4K,64K", "-D", "1")
    after = counters(b)
    assert code == 0
    mtu = report["results"][0]["effective"]["mtu_bytes"]
    packets = payload = reth = 0
    for result in report["results"]:
        messages = sent_messages(result)
        packets += messages * -(-result["message_bytes"] // mtu)
        payload += messages * result["message_bytes"]
        reth += messages * RETH
    wire = payload + packets * PACKET_HEADERS + reth
    sent = {key: after[key] - before[key] for key in before}
    assert sent["packets"] >= packets
    assert sent["tx_bytes"] >= wire
    if sent["retries"] == 0:
        # Nothing was sent twice, so nothing but the session's own TCP may come on top.
        assert sent["packets"] <= packets * 1.01
        assert sent["tx_bytes"] <= wire * 1.02 + 100_000


def test_serves_three_clients_one_after_the_other(b, server):
    for _ in range(3):
        code, report, _ = b.test("write_bw", "a", "-p", server.port, "-n", "200", "-s", "4K")
        assert code == 0 and report["status"] == "complete"


def test_a_second_client_waits_its_turn_and_then_succeeds(b, server):
    server.forget_lines()
    first = b.start("rdmabench", "write_bw", "a", "-p", server.port, "-D", "6", "-s", "4K", "--json", "-")
    server.wait_for_line("write_bw rc begins", 20)
    second = b.run("rdmabench", "write_bw", "a", "-p", server.port, "-n", "200", "-s", "4K", "--json", "-")
    out, _ = first.communicate(timeout=60)
    assert first.returncode == 0 and parse_report(out)["status"] == "complete"
    assert second.returncode == 0 and parse_report(second.stdout)["status"] == "complete"
    assert re.search(r"place 1\b", second.stderr)


def test_a_client_that_is_not_willing_to_wait_says_so(b, server):
    server.forget_lines()
    first = b.start("rdmabench", "write_bw", "a", "-p", server.port, "-D", "6", "-s", "4K")
    server.wait_for_line("write_bw rc begins", 20)
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-n", "200", "--wait", "1")
    first.communicate(timeout=60)
    assert code == 1
    assert "busy" in report["error"]["message"] and "--wait" in stderr


@pytest.mark.full
def test_the_client_may_start_five_seconds_before_the_server(a, b):
    with Server(a) as gone:
        port = gone.port
    client = b.start("rdmabench", "write_bw", "a", "-p", port, "-n", "100", "--json", "-")
    with pytest.raises(subprocess.TimeoutExpired):
        client.wait(timeout=5)
    serving = a.start("rdmabench", "server", "--port", port, "--once")
    out, _ = client.communicate(timeout=60)
    serving.communicate(timeout=20)
    assert client.returncode == 0 and parse_report(out)["status"] == "complete"
    assert serving.returncode == 0


def test_pairs_gids_whose_indexes_differ(a, b, server):
    """Two extra addresses on a push its session address to a higher index than b's."""
    a.shell("ip addr del 192.168.77.1/24 dev eth1 && ip addr add 10.9.0.1/24 dev eth1 && ip addr add 10.9.1.1/24 dev eth1"
            " && ip addr add 192.168.77.1/24 dev eth1")
    try:
        code, report, stderr = b.test("write_bw", "192.168.77.1", "-p", server.port, "-n", "100")
        assert code == 0, stderr
        effective = report["results"][0]["effective"]
        assert effective["client_gid"]["index"] != effective["server_gid"]["index"]
        assert effective["server_gid"]["text"] == "::ffff:192.168.77.1"
    finally:
        a.shell("ip addr del 10.9.0.1/24 dev eth1; ip addr del 10.9.1.1/24 dev eth1")


def test_works_over_ipv6(b, server):
    code, report, stderr = b.test("write_bw", "fd77::1", "-p", server.port, "-n", "100")
    assert code == 0, stderr
    assert report["hosts"][1]["address"] == "fd77::1"


def test_256_queue_pairs_have_exact_counts(b, server):
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-q", "256", "-s", "64", "-n", "128", "-u", "20",
                                  "--warmup", "0", "--peer-timeout", "60", "--stall-timeout", "60", timeout=400)
    assert code == 0, stderr
    result = report["results"][0]
    assert result["traffic"][0]["sent"]["messages_per_queue_pair"] == [128] * 256
    assert result["messages"] == 128 * 256


@pytest.mark.parametrize("options, effective", [
    (["-l", "8"], {"post_list": 8, "signal_every": 32}),
    (["-Q", "16", "-t", "64"], {"signal_every": 16, "send_depth": 64}),
    (["-I", "0", "-s", "8"], {"inline_used": False}),
    (["-I", "64"], {"inline_used": True}),
    (["-m", "512"], {"mtu_bytes": 512}),
    (["-q", "4", "-n", "400"], {"iterations_per_queue_pair": 400}),
], ids=lambda value: "_".join(value) if isinstance(value, list) else "")
def test_options_take_effect(b, server, options, effective):
    length = [] if "-n" in options else ["-n", "320"]
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, *(["-s", "64"] if "-s" not in options else []), *length, *options)
    assert code == 0, stderr
    found = report["results"][0]["effective"]
    assert {key: found[key] for key in effective} == effective


def test_text_table_and_csv(b, server):
    done = b.run("rdmabench", "write_bw", "a", "-p", server.port, "-s", "64,4K", "-n", "200", check=True)
    assert "Gb/s" in done.stdout and "4096" in done.stdout
    assert without_warnings(done.stderr) == "", "progress is for terminals only"
    # Each warning of the report is there, once.
    warnings = [line.removeprefix("warning: ") for line in done.stderr.splitlines()]
    assert len(warnings) == len(set(warnings)) and all(any(words in line for line in warnings) for words in ("client: rxe0 is software", "server: rxe0 is software"))
    done = b.run("rdmabench", "write_bw", "a", "-p", server.port, "-s", "64,4K", "-n", "200", "--format", "csv", "--quiet", check=True)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and lines[0].count(",") == lines[2].count(",")


def test_a_suite_runs_over_one_session_and_its_report_runs_again(b, server):
    suite = (REPOSITORY / "configs" / "smoke.json").read_text()
    b.run("sh", "-c", "cat > /tmp/smoke.json", input=suite, check=True)
    code, report, stderr = b.test("run", "/tmp/smoke.json", "a", "-p", server.port)
    assert code == 0, stderr
    assert len(report["plan"]["tests"]) == 11
    assert sorted({result["plan_index"] for result in report["results"]}) == list(range(11))
    assert report["results"][-1]["traffic"][0]["sent"]["messages_per_queue_pair"] == [320] * 4
    b.run("sh", "-c", "cat > /tmp/again.json", input=json.dumps(report), check=True)
    code, again, stderr = b.test("run", "/tmp/again.json", "a", "-p", server.port)
    assert code == 0, stderr
    assert again["plan"] == report["plan"]


@pytest.mark.full
def test_every_size(b, server):
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-a", "-n", "8", timeout=900)
    assert code == 0, stderr
    assert [result["message_bytes"] for result in report["results"]] == [2 ** power for power in range(1, 24)]
    assert all(result["messages"] >= 8 for result in report["results"])
