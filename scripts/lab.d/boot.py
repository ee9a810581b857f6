"""Brings all hosts of a lab to the point where each answers over ssh and has its RDMA device."""

import sys
import time

import acceleration
import boot_image
import link
import login
import machine
import processes
from errors import LabError
from kernel import Kernel
from state import Lab

DEADLINE_SECONDS = 240
CONSOLE_TAIL_LINES = 25


def boot(lab: Lab, kernel: Kernel) -> None:
    boot_image.write(lab, kernel, lab.directory / "initrd")
    candidates = acceleration.candidates()
    for candidate in candidates:
        lab.acceleration = candidate
        try:
            running = _start(lab, kernel)
            break
        except LabError as error:
            if candidate == candidates[-1]:
                raise
            print(f"lab: KVM is of no use here: {error}; using software emulation from now on", file=sys.stderr)
            _clear(lab)
    if len(candidates) > 1:
        acceleration.remember(lab.acceleration)
    _wait_for_consoles(lab, running, "lab: ready", DEADLINE_SECONDS)
    login.open_connections(lab, DEADLINE_SECONDS)
    for process in running.values():
        machine.schedule(lab, process)


def print_consoles(lab: Lab) -> None:
    """What the hosts said last, of those that did not come up."""
    for host in lab.hosts:
        text = lab.console_text(host)
        if text and "lab: ready" not in text:
            print(f"--- the end of what host {host.name} printed:", file=sys.stderr)
            print("\n".join(text.splitlines()[-CONSOLE_TAIL_LINES:]), file=sys.stderr)


def _start(lab: Lab, kernel: Kernel) -> dict[str, processes.Process]:
    plugs = link.make(lab)
    running = {host.name: machine.start_host(lab, host, own, kernel) for host, own in zip(lab.hosts, plugs)}
    for host in lab.hosts:
        host.ssh_port = machine.ssh_port(lab, host, running[host.name])
    login.write_config(lab)
    is_kvm = lab.acceleration == "kvm"
    deadline_seconds = acceleration.KVM_DEADLINE_SECONDS if is_kvm else DEADLINE_SECONDS
    _wait_for_consoles(lab, running, "lab: kernel is up", deadline_seconds)
    return running


def _clear(lab: Lab) -> None:
    processes.end(lab.processes)
    lab.processes.clear()
    for path in lab.directory.iterdir():
        if path.is_socket():
            path.unlink()


def _wait_for_consoles(lab: Lab, running: dict[str, processes.Process], words: str, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    waiting = list(lab.hosts)
    while waiting:
        for host in waiting:
            # Asked before the console is read, so that its last words are not missed.
            has_ended = not processes.is_running(running[host.name])
            if words not in lab.console_text(host) and has_ended:
                raise LabError(f"host {host.name} ended while it was booting")
        waiting = [host for host in waiting if words not in lab.console_text(host)]
        if waiting and time.monotonic() > deadline:
            names = ", ".join(host.name for host in waiting)
            raise LabError(f"{names} did not print '{words}' within {seconds} s")
        time.sleep(0.05)
