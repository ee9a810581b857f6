"""Starts processes that outlive this program, and ends those and no others."""

import os
import pathlib
import signal
import socket
import subprocess
import time
from collections.abc import Iterable
from typing import NamedTuple


class Process(NamedTuple):
    """A process id alone may be given to another program later; with the start time it is unique."""

    pid: int
    start_ticks: int


def find(pid: int) -> Process | None:
    """The live process that has this id; a zombie counts as ended."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()
    state, start_ticks = fields[0], fields[19]
    return None if state in "ZX" else Process(pid, int(start_ticks))


def is_running(process: Process) -> bool:
    return find(process.pid) == process


def start(
    command: list[str],
    log: pathlib.Path,
    inherited: Iterable[socket.socket] = (),
    processors: set[int] | None = None,
) -> Process | None:
    """Starts a process in a session of its own, out of reach of the terminal's Ctrl-C. None: it ended at once."""
    with open(log, "ab") as output:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=[end.fileno() for end in inherited],
            start_new_session=True,
            # Before its threads are made, which inherit it.
            preexec_fn=(lambda: os.sched_setaffinity(0, processors)) if processors else None,
        )
    return find(child.pid)


def end(processes: Iterable[Process]) -> None:
    remaining = [process for process in processes if is_running(process)]
    for number, patience_seconds in ((signal.SIGTERM, 2), (signal.SIGKILL, 10)):
        for process in remaining:
            try:
                os.kill(process.pid, number)
            except ProcessLookupError:
                pass
        deadline = time.monotonic() + patience_seconds
        while remaining and time.monotonic() < deadline:
            time.sleep(0.02)
            remaining = [process for process in remaining if is_running(process)]
