"""The private network on which the hosts have their eth1: what each QEMU process has to be given to be part of it."""

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


def make(lab: Lab) -> list[Plug]:
    """One plug for each host, in order."""
    count = len(lab.hosts)
    if count == 1:
        return [Plug("hubport,id=private,hubid=1")]
    if count == 2:
        # Two ends that are joined before either process starts. A process that has to connect to the other by a path
        # may come too early, and QEMU 7.2 then goes on without a network.
        return [Plug(f"socket,id=private,fd={end.fileno()}", end) for end in socket.socketpair()]
    directory = lab.directory / "switch"
    _start_switch(lab, directory)
    return [Plug(f"vde,id=private,sock={directory}")] * count


def _start_switch(lab: Lab, directory: pathlib.Path) -> None:
    pid_file = lab.directory / "switch.pid"
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
