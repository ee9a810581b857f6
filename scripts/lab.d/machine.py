"""Starts the QEMU process of each host, and asks it for the port of its ssh login."""

import contextlib
import json
import os
import pathlib
import re
import socket
import time

import link
import processes
from errors import LabError
from interruption import deferred
from kernel import Kernel
from link import Plug
from state import Host, Lab

FLAT = ["-smp", "1", "-m", "1024M"]

# Two nodes with two processors each, and a PCIe bus that belongs to the second node.
NUMA = """
-smp 4,sockets=2,cores=2 -m 1024M
-object memory-backend-ram,id=memory0,size=512M -numa node,nodeid=0,cpus=0-1,memdev=memory0
-object memory-backend-ram,id=memory1,size=512M -numa node,nodeid=1,cpus=2-3,memdev=memory1
-device pxb-pcie,id=node1,bus_nr=128,numa_node=1,bus=pcie.0
""".split()

# Each feature more makes a context switch dearer. These are what Debian's libraries make use of, what makes ssh fast,
# and what gives the kernel entropy at once.
EMULATED_PROCESSOR = "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt,+aes,+pclmulqdq,+rdrand"
# QEMU before 9.1 can stop delivering for good under load, where a packet may take several receive buffers: it finds
# too few, the guest adds one that still does not suffice, and then nobody wakes the other any more.
ONE_BUFFER_A_PACKET = "mrg_rxbuf=off"

PROCESSOR = {
    "kvm": ["-accel", "kvm", "-cpu", "host"],
    "tcg": ["-accel", "tcg,thread=multi", "-cpu", EMULATED_PROCESSOR],
}


def start_host(lab: Lab, host: Host, plugs: list[Plug], kernel: Kernel) -> processes.Process:
    lab.console(host).unlink(missing_ok=True)
    log = lab.directory / f"{host.name}.qemu"
    with deferred():
        ends = [plug.end for plug in plugs if plug.end]
        process = processes.start(_command(lab, host, plugs, kernel), log, ends, _processors(lab, host))
        if process:
            lab.processes.append(process)
            lab.save()
    for end in ends:
        end.close()
    if process is None:
        raise LabError(f"QEMU for host {host.name} ended at once: {log.read_text().strip()}")
    return process


def _processors(lab: Lab, host: Host) -> set[int]:
    """A share of this machine's for each host, so that none takes another's time; all, when there are too few."""
    available = sorted(os.sched_getaffinity(0))
    share = len(available) // len(lab.hosts)
    if share == 0:
        return set(available)
    first = (host.number - 1) * share
    return set(available[first : first + share])


def _nic(lab: Lab, host: Host, rail: int, plug: Plug) -> list[str]:
    bus, port = "pcie.0", []
    if lab.topology == "numa":
        # A root port of the second node for each.
        bus = f"port{rail + 1}"
        port = ["-device", f"pcie-root-port,id={bus},bus=node1,chassis={rail + 1},slot={rail + 1}"]
    mac = f"52:54:00:77:{rail:02x}:{host.number:02x}"
    card = f"virtio-net-pci,netdev={link.name(rail)},mac={mac},{ONE_BUFFER_A_PACKET},romfile=,bus={bus}"
    return [*port, "-netdev", plug.netdev, "-device", card]


def _command(lab: Lab, host: Host, plugs: list[Plug], kernel: Kernel) -> list[str]:
    directory = lab.directory
    kernel_line = (
        "console=ttyS0 quiet panic=-1 net.ifnames=0 mitigations=off "
        f"LAB_HOST={host.name} LAB_NUMBER={host.number} LAB_RAILS={lab.rails}"
    )
    command = ["qemu-system-x86_64", "-name", f"rdmabench lab host {host.name} in {directory}"]
    command += ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", "q35"]
    command += PROCESSOR[lab.acceleration]
    command += NUMA if lab.topology == "numa" else FLAT
    command += ["-kernel", kernel.image, "-initrd", directory / "initrd", "-append", kernel_line]
    command += ["-serial", f"file:{lab.console(host)}"]
    command += ["-qmp", f"unix:{_monitor(lab, host)},server=on,wait=off"]
    for tag, path in (("machine", pathlib.Path("/")), ("modules", kernel.modules)):
        export = f"local,id={tag},path={path},security_model=none,readonly=on,multidevs=remap"
        command += ["-fsdev", export, "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag},bus=pcie.0"]
    # Port 0: the system chooses a free one, so that two labs cannot race for it.
    command += ["-netdev", "user,id=login,restrict=on,hostfwd=tcp:127.0.0.1:0-:22"]
    command += ["-device", "virtio-net-pci,netdev=login,romfile=,bus=pcie.0"]
    for rail, plug in enumerate(plugs):
        command += _nic(lab, host, rail, plug)
    return [str(word) for word in command]


def schedule(lab: Lab, process: processes.Process) -> None:
    """A thread of SCHED_BATCH waits its turn when it wakes up. On a prompt link those that run the host do, so that the
    main thread, which carries the packets, runs as soon as there are some; on a batched one it is the other way round."""
    for thread in map(int, os.listdir(f"/proc/{process.pid}/task")):
        is_main = thread == process.pid
        if is_main == (lab.link == "batched"):
            with contextlib.suppress(ProcessLookupError):  # one of QEMU's helpers has ended
                os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))


def _monitor(lab: Lab, host: Host) -> pathlib.Path:
    return lab.directory / f"{host.name}.monitor"


def ssh_port(lab: Lab, host: Host, process: processes.Process) -> int:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and processes.is_running(process):
        try:
            answer = _ask_monitor(lab, host, "info usernet")
        except OSError:
            time.sleep(0.02)  # QEMU is not yet listening
            continue
        if found := re.search(r"HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)", answer):
            return int(found[1])
    reason = (lab.directory / f"{host.name}.qemu").read_text().strip()
    raise LabError(f"QEMU for host {host.name} did not start: {reason or 'it gave no reason'}")


def set_cable(lab: Lab, host: Host, rail: int, is_plugged: bool) -> None:
    """Of eth1, eth2 and so on: without it the interface is up and has no carrier, and what is sent is lost."""
    try:
        answer = _ask_monitor(lab, host, f"set_link {link.name(rail)} {'on' if is_plugged else 'off'}")
    except (OSError, ValueError) as error:
        raise LabError(f"QEMU of host {host.name} does not answer: {error}") from error
    if answer:
        raise LabError(f"QEMU of host {host.name}: {answer.strip()}")


def _ask_monitor(lab: Lab, host: Host, question: str) -> str:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(str(_monitor(lab, host)))
        stream = connection.makefile("rw")
        stream.readline()  # the greeting
        commands = [
            {"execute": "qmp_capabilities"},
            {"execute": "human-monitor-command", "arguments": {"command-line": question}},
        ]
        for command in commands:
            stream.write(json.dumps(command) + "\n")
            stream.flush()
            answer = {}
            while "return" not in answer:  # events come at any time
                answer = json.loads(stream.readline())
        return answer["return"]
