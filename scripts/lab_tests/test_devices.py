"""`rdmabench devices` against what other programs and the kernel say of the same devices."""

import ipaddress
import json
import re

import jsonschema
import pytest

from hosts import REPOSITORY

SCHEMA = json.loads((REPOSITORY / "cmd" / "devices_schema.json").read_text())


def listing(host, *words, user=()):
    done = host.run(*user, "rdmabench", "devices", "--json", *words)
    document = json.loads(done.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    return document, done


def devinfo(host, device):
    """Of ibv_devinfo -v: the figures by name, and the GIDs by index."""
    text = host.run("ibv_devinfo", "-v", "-d", device, check=True).stdout
    figures = dict(re.findall(r"^[ \t]*(\w+):[ \t]+(\S+)", text, re.MULTILINE))
    gids = {
        int(index): (ipaddress.ip_address(gid), kind)
        for index, gid, kind in re.findall(r"GID\[\s*(\d+)\]:\s+([0-9a-f:.]+), (.*)", text)
    }
    return figures, gids


@pytest.fixture
def rxe0(b):
    document, done = listing(b)
    assert done.returncode == 0 and done.stderr == "" and document["skipped"] == []
    (device,) = document["devices"]
    assert device["name"] == "rxe0"
    return device


LIMITS = {
    "queue_pairs": "max_qp",
    "requests_per_queue": "max_qp_wr",
    "requests_per_shared_receive_queue": "max_srq_wr",
    "completion_queues": "max_cq",
    "completion_queue_entries": "max_cqe",
    "pieces_per_request": "max_sge",
    "reads_as_initiator": "max_qp_init_rd_atom",
    "reads_as_target": "max_qp_rd_atom",
    "memory_regions": "max_mr",
    "memory_region_bytes": "max_mr_size",
}


def test_says_what_ibv_devinfo_says(b, rxe0):
    figures, gids = devinfo(b, "rxe0")
    assert {key: rxe0["limits"][key] for key in LIMITS} == {key: int(figures[name], 0) for key, name in LIMITS.items()}
    assert rxe0["limits"]["atomics"] == (figures["atomic_cap"] != "ATOMIC_NONE")
    assert rxe0.get("firmware", "") == figures.get("fw_ver", "")
    (port,) = rxe0["ports"]
    assert "PORT_" + port["state"].upper() == figures["state"]
    assert (port["active_mtu_bytes"], port["max_mtu_bytes"]) == (int(figures["active_mtu"]), int(figures["max_mtu"]))
    assert port["link_layer"] == figures["link_layer"].lower()
    assert {gid["index"]: (ipaddress.ip_address(gid["text"]), "RoCE v2") for gid in port["gids"]} == gids


def test_says_what_rdma_link_says(b, rxe0):
    link = b.run("rdma", "link", "show", "rxe0/1", check=True).stdout
    (port,) = rxe0["ports"]
    assert f"state {port['state'].upper()}" in link and f"netdev {port['netdev']}" in link
    assert "link_gbps" not in port, "rxe makes it up"


def test_says_what_sysfs_says_of_the_bus(b, rxe0):
    function = b.shell("cd -P /sys/class/net/eth1/device/.. && pwd").strip()
    assert rxe0["pcie_address"] == function.rsplit("/", 1)[1]
    read = lambda name: b.shell(f"cat {function}/{name} 2>/dev/null || true").split()
    for key, prefix in (("now", "current"), ("at_most", "max")):
        speed, width = read(f"{prefix}_link_speed"), read(f"{prefix}_link_width")
        told = bool(speed) and speed[0] != "Unknown" and width[0] not in ("0", "255")
        link = rxe0.get("pcie", {}).get(key)
        assert (link is not None) == told
        if told:
            assert (link["gigatransfers_per_second"], link["lanes"]) == (float(speed[0]), int(width[0]))
    node = int(read("numa_node")[0]) if read("numa_node") else -1
    if node >= 0:
        assert rxe0["numa_node"] == node


def test_inline_is_what_a_run_is_granted(b, server, rxe0):
    most = rxe0["limits"]["inline_bytes"]
    run = ["write_bw", "a", "-p", server.port, "-s", "16", "-n", "64", "-t", "1", "-l", "1", "-Q", "1"]
    code, _, stderr = b.test(*run, "-I", most)
    assert code == 0, stderr
    code, _, stderr = b.test(*run, "-I", most + 1)
    assert code == 3 and f"grants {most}" in stderr


def test_the_text_has_the_same(b, rxe0):
    text = b.run("rdmabench", "devices", "-d", "rxe0", check=True).stdout
    for gid in rxe0["ports"][0]["gids"]:
        assert re.search(rf"rxe0 +1 +{gid['index']} +{gid['type']} +{re.escape(gid['text'])} +eth1", text)
    assert re.search(rf"rxe0 +rdma_rxe +\S+ +{rxe0['pcie_address']}", text)
    assert re.search(r"rxe0 +1 +active +ethernet +not known +1024 +4096 +eth1", text)
    for kind in rxe0["memory_kinds"]:
        state = "yes" if kind["available"] else "no: "
        assert re.search(rf"{re.escape(kind['name'])} +all +{state}", text)


def test_one_by_its_interface(b):
    document, _ = listing(b, "-d", "eth1")
    assert [device["name"] for device in document["devices"]] == ["rxe0"]
    done = b.run("rdmabench", "devices", "-d", "mlx5_0")
    assert done.returncode == 3 and "there are: rxe0 (eth1)" in done.stderr and done.stdout == ""


@pytest.mark.parametrize("devices, code, text", [
    ("rxe0:1", 0, ""),
    ("rxe0:2", 3, "rxe0 has no port 2; it has port 1 only"),
    ("rxe0,eth1", 2, "--ib-dev rxe0,eth1 names rxe0 twice"),
])
def test_a_list_is_what_it_is_for_a_run(b, devices, code, text):
    done = b.run("rdmabench", "devices", "-d", devices)
    assert done.returncode == code and text in done.stderr


def test_a_port_that_is_down_is_listed(b):
    b.shell("ip link set eth1 down")
    try:
        document, done = listing(b)
        assert done.returncode == 0
        assert document["devices"][0]["ports"][0]["state"] == "down"
    finally:
        b.shell("ip link set eth1 up; ip -6 addr add fd77::2/64 dev eth1 2>/dev/null; sleep 1", check=False)


def test_a_device_that_does_not_open_is_named_and_the_rest_listed(b):
    user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    b.shell("rdma link add rxe_lo type rxe netdev lo")
    try:
        file = "/dev/infiniband/" + b.shell("grep -l rxe_lo /sys/class/infiniband_verbs/*/ibdev").split("/")[-2]
        b.shell(f"chmod 600 {file}")
        document, done = listing(b, user=user)
        assert done.returncode == 0
        assert [device["name"] for device in document["devices"]] == ["rxe0"]
        assert f"cannot open rxe_lo ({file}): Permission denied" in document["skipped"][0]["reason"]
        assert "/dev/infiniband" in document["skipped"][0]["remedy"] and "skipped: cannot open rxe_lo" in done.stderr
        done = b.run(*user, "rdmabench", "devices", "-d", "rxe_lo")
        assert done.returncode == 3 and file in done.stderr
    finally:
        b.shell("rdma link delete rxe_lo")
