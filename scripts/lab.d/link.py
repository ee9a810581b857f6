"""The private networks on which the hosts have their eth1, eth2 and so on, one for each rail: what each QEMU process has
to be given to be part of them."""

import pathlib
import socket
import subprocess
import time
from typing import NamedTuple

import processes
from errors import LabError
from interruption import deferred
from state import Lab


class Plug(NamedTuple):
    netdev: str
    end: socket.socket | None = None  # to be inherited by the QEMU process, and closed here afterwards


def make(lab: Lab) -> list[list[Plug]]:
    """The plugs of each host, in order: one for each rail."""
    rails = [_make_rail(lab, rail) for rail in range(lab.rails)]
    return [list(plugs) for plugs in zip(*rails)]


def name(rail: int) -> str:
    """QEMU's, of the host's end."""
    return f"private{rail}"


def _make_rail(lab: Lab, rail: int) -> list[Plug]:
    count = len(lab.hosts)
    if count == 1:
        return [Plug(f"hubport,id={name(rail)},hubid={rail + 1}")]
    if count == 2:
        # Two ends that are joined before either process starts. A process that has to connect to the other by a path
        # may come too early, and QEMU 7.2 then goes on without a network.
        return [Plug(f"socket,id={name(rail)},fd={end.fileno()}", end) for end in socket.socketpair()]
    directory = lab.directory / f"switch{rail}"
    _start_switch(lab, directory)
    return [Plug(f"vde,id={name(rail)},sock={directory}")] * count


def _start_switch(lab: Lab, directory: pathlib.Path) -> None:
    pid_file = directory.with_suffix(".pid")
    pid_file.unlink(missing_ok=True)
    command = ["vde_switch", "-s", directory, "-m", "600", "-daemon", "-p", pid_file]
    with deferred():
        started = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        deadline = time.monotonic() + 10
        while started.returncode == 0 and time.monotonic() < deadline:
            text = pid_file.read_text() if pid_file.exists() else ""
            if text.endswith("\n") and (process := processes.find(int(text))):
                lab.processes.append(process)
                lab.save()
                return
            time.sleep(0.02)
    raise LabError(f"vde_switch did not start: {started.stderr.strip() or 'it gave no reason'}")
