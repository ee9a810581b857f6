"""Where threads and memory are on a machine of two NUMA nodes whose NIC hangs on node 1, by the report and by the kernel's own word."""

import json
import re

import pytest

from hosts import Host, Server, parse_report
from own_lab import own_lab

NEAR = {2, 3}  # the cpus of node 1
FAR = {0, 1}
OWN_DISTANCE, FAR_DISTANCE = 10, 20


@pytest.fixture(scope="module")
def numa():
    """A lab of its own, of one host, which is server and client: the shared one has one node."""
    with own_lab("--hosts", "1", "--topology", "numa"):
        yield Host("a")


@pytest.fixture(scope="module")
def server(numa):
    with Server(numa) as running:
        yield running
        assert running.alive(), "the server did not survive the tests"


def run(host, server, *options):
    """A short run: (placements of client and server, warnings, stderr)."""
    code, report, stderr = host.test("write_bw", "a", "-p", server.port, "-s", "4K", "-n", "512", *options)
    assert code == 0, stderr
    return [side["placement"] for side in report["hosts"]], report["warnings"], stderr


def has(warnings, *words):
    return any(all(word in warning for word in words) for warning in warnings)


def remote(warnings, whose=""):
    """Those of them that say that something is far from the device."""
    return [warning for warning in warnings if warning.startswith(whose) and ("another node" in warning or "memory is on" in warning)]


def test_devices_are_on_node_1(numa):
    devices = json.loads(numa.run("rdmabench", "devices", "--json", check=True).stdout)["devices"]
    assert [device["numa_node"] for device in devices] == [1]


# Of the client while it runs: its memory that is bound to a node, and where each of its threads may run and was last.
OBSERVE = """
for try in $(seq 60); do
  for pid in $(pgrep -x rdmabench); do
    grep -q write_bw /proc/$pid/cmdline && grep -q ' bind' /proc/$pid/numa_maps || continue
    sleep 1.5
    echo maps; grep ' bind' /proc/$pid/numa_maps
    for task in /proc/$pid/task/*; do
      echo task $(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' $task/status) $(sed 's/.*) //' $task/stat | cut -d ' ' -f 37)
    done
    exit 0
  done
  sleep 0.5
done
exit 1
"""


def test_a_run_is_on_the_node_of_the_nic(numa, server):
    client = numa.start("rdmabench", "write_bw", "a", "-p", server.port, "-s", "64K", "-D", "8", "--json", "-")
    seen = numa.shell(OBSERVE, timeout=90)
    stdout, stderr = client.communicate(timeout=120)
    assert client.returncode == 0, stderr
    report = parse_report(stdout)

    for host in report["hosts"]:
        placement = host["placement"]
        assert placement["device_node"] == placement["memory_node"] == 1
        assert {*placement["worker_cpus"], placement["session_cpu"]} == NEAR
        assert placement["worker_nodes"] == [1] and placement["distance"] == OWN_DISTANCE
        assert placement["pages_on_node"] == 1
    ours = report["hosts"][0]["placement"]
    assert ours["ran_on_cpus"] == ours["worker_cpus"]
    assert not remote(report["warnings"])

    # Every page of what was bound is on node 1, and there are at least those of the messages.
    maps = [line for line in seen.splitlines() if " bind" in line]
    assert maps and all(" bind:1 " in line for line in maps), seen
    pages = {node: sum(map(int, re.findall(rf" N{node}=(\d+)", "\n".join(maps)))) for node in (0, 1)}
    assert pages[0] == 0, seen
    assert pages[1] * 4096 >= report["results"][0]["effective"]["working_set_bytes"], seen

    tasks = [line.split()[1:] for line in seen.splitlines() if line.startswith("task")]
    pinned = {allowed: last for allowed, last in tasks if "-" not in allowed}
    assert set(pinned) == {str(ours["worker_cpus"][0]), str(ours["session_cpu"])}, seen
    assert all(allowed == last for allowed, last in pinned.items()), seen


def test_another_node_is_obeyed_and_warned_about(numa, server):
    (ours, theirs), warnings, stderr = run(numa, server, "--numa-node", "0")
    assert (ours["device_node"], ours["memory_node"]) == (1, 0)
    assert set(ours["worker_cpus"]) <= FAR and ours["worker_nodes"] == [0]
    assert ours["pages_on_node"] == 1 and ours["distance"] == FAR_DISTANCE
    assert theirs["memory_node"] == 1
    for words in (["client: ", "memory is on NUMA node 0", "rxe0 is on NUMA node 1"], ["client: 1 worker is on another node"]):
        assert has(warnings, *words), warnings
        assert words[-1] in stderr
    assert not remote(warnings, "server: ")


def test_cpus_are_obeyed_on_both_sides(numa, server):
    (ours, theirs), warnings, _ = run(numa, server, "--cpus", "3", "--remote-cpus", "1")
    assert ours["worker_cpus"] == ours["ran_on_cpus"] == [3]
    assert theirs["worker_cpus"] == [1] and theirs["memory_node"] == 1
    assert has(warnings, "server: 1 worker is on another node (cpu 1)")
    assert not remote(warnings, "client: ")


def test_workers_that_share_a_core_are_warned_about(numa, server):
    (ours, _), warnings, _ = run(numa, server, "--cpus", "2", "-q", "2", "--threads", "2")
    assert ours["worker_cpus"] == [2, 2] and ours["worker_cores"] == 1
    assert has(warnings, "client: 2 workers share 1 core")


def test_a_cpu_on_which_nothing_runs_is_warned_about(numa, server):
    (ours, _), warnings, stderr = run(numa, server, "--cpus", "2,0,1", "-q", "2", "--threads", "2")
    assert ours["worker_cpus"] == [2, 0]
    assert has(warnings, "client: --cpus names cpu 1, where nothing runs", "2 workers")
    assert "client: --cpus names cpu 1" in stderr


def test_workers_that_the_system_has_put_elsewhere_are_warned_about(numa, server):
    done = numa.run("taskset", "-c", "0", "rdmabench", "write_bw", "a", "-p", server.port, "-s", "4K", "-n", "512", "--no-pin", "--json", "-")
    assert done.returncode == 0, done.stderr
    report = parse_report(done.stdout)
    ours = report["hosts"][0]["placement"]
    assert ours["worker_cpus"] == [] and ours["ran_on_cpus"] == [0] and ours["ran_on_nodes"] == [0]
    assert ours["distance"] == FAR_DISTANCE
    words = "client: 1 worker that is not pinned ran on another node"
    assert has(report["warnings"], words, "rxe0 is on NUMA node 1") and words in done.stderr
    assert not remote(report["warnings"], "server: ")


def test_one_machine_at_both_ends_is_warned_about(numa, server):
    assert has(run(numa, server)[1], "both ends are one machine")


def test_cpus_that_are_not_there_are_refused_with_those_that_are(numa, server):
    for words in (["write_bw", "a", "-p", server.port, "--cpus", "9"], ["server", "--cpus", "9"]):
        done = numa.run("rdmabench", *words)
        assert done.returncode == 3, done.stderr
        assert "cpu 9" in done.stderr and "cpus 0-3" in done.stderr
    done = numa.run("rdmabench", "write_bw", "a", "-p", server.port, "--remote-cpus", "9")
    assert done.returncode != 0 and "--remote-cpus names cpu 9" in done.stderr and "cpus 0-3" in done.stderr


def test_the_choice_is_explained(numa, server):
    done = numa.run("rdmabench", "write_bw", "a", "-p", server.port, "-n", "100", "--explain")
    assert done.returncode == 0, done.stderr
    assert re.search(r"PCIe 0000:[0-9a-f:.]+: eth1  <- rxe0", done.stderr), done.stderr
    for words in ("NUMA node 1", "<- memory", "<- worker", "<- session", "rxe0 is on NUMA node 1", "server's placement (a)"):
        assert words in done.stderr, done.stderr


def huge_pages(host):
    devices = json.loads(host.run("rdmabench", "devices", "--json", check=True).stdout)["devices"]
    return next(kind for kind in devices[0]["memory_kinds"] if kind["name"] == "huge2m")


@pytest.mark.full
def test_huge_pages_are_of_the_devices_node(numa, server):
    def reserve(node, pages):
        numa.shell(f"echo {pages} > /sys/devices/system/node/node{node}/hugepages/hugepages-2048kB/nr_hugepages")

    words = ["write_bw", "a", "-p", server.port, "-s", "64K", "-n", "200", "--memory", "huge2m"]
    try:
        reserve(0, 16)  # enough for both sides, on the wrong node
        done = numa.run("rdmabench", *words)
        assert done.returncode == 3, done.stderr
        assert "4 huge pages of 2 MiB on NUMA node 1, where 0 are free" in done.stderr
        # What `devices` says is of the device's node, too.
        kind = huge_pages(numa)
        assert not kind["available"] and "none is free on NUMA node 1" in kind["reason"]
        assert "echo 32 > /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages" in kind["reason"]
        assert re.search(r"echo 4 > /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages", done.stderr)
        reserve(1, 16)
        assert huge_pages(numa) == {"name": "huge2m", "available": True, "amount": "16 free on NUMA node 1"}
        code, report, stderr = numa.test(*words)
        assert code == 0, stderr
        for side in report["hosts"]:
            assert side["placement"]["memory_node"] == 1 and side["placement"]["pages_on_node"] == 1
    finally:
        reserve(0, 0)
        reserve(1, 0)
