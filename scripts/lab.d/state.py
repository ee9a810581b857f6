"""What is remembered of a lab between two calls.

A home is a small directory that stands for one lab: .lab in the checkout, or what RDMABENCH_LAB names. It holds
a lock and lab.json, which names the directory of the running lab: sockets, keys, logs. That one lies below TMPDIR
because the path of a socket must be short.
"""

import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import sys
from collections.abc import Iterator
from typing import TextIO

from errors import LabError
from processes import Process


@dataclasses.dataclass
class Host:
    name: str
    number: int
    ssh_port: int = 0


@dataclasses.dataclass(frozen=True)
class Wish:
    """What a lab is to be like; None: whatever it is, or else the default."""

    hosts: int | None = None
    topology: str | None = None
    link: str | None = None
    rails: int | None = None

    def is_met_by(self, lab: "Lab") -> bool:
        present = Wish(len(lab.hosts), lab.topology, lab.link, lab.rails)
        return all(
            wanted in (None, found) for wanted, found in zip(dataclasses.astuple(self), dataclasses.astuple(present))
        )


@dataclasses.dataclass
class Lab:
    home: "Home"
    directory: pathlib.Path
    topology: str
    hosts: list[Host]
    link: str = "prompt"
    rails: int = 1  # interfaces of each host with an RDMA device each, on a private network each
    acceleration: str = ""
    is_up: bool = False
    processes: list[Process] = dataclasses.field(default_factory=list)

    def save(self) -> None:
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        del values["home"]
        values["directory"] = str(self.directory)
        values["hosts"] = [dataclasses.asdict(host) for host in self.hosts]
        replacement = self.home.directory / "lab.json.new"
        replacement.write_text(json.dumps(values, indent=1) + "\n")
        replacement.rename(self.home.directory / "lab.json")

    def host(self, name: str) -> Host:
        for host in self.hosts:
            if host.name == name:
                return host
        raise LabError(f"there is no host {name}; known: {', '.join(host.name for host in self.hosts)}")

    def console(self, host: Host) -> pathlib.Path:
        return self.directory / f"{host.name}.console"

    def console_text(self, host: Host) -> str:
        try:
            return self.console(host).read_text(errors="replace")
        except FileNotFoundError:
            return ""


class Home:
    def __init__(self, directory: pathlib.Path):
        self.directory = directory

    @classmethod
    def of_checkout(cls, checkout: pathlib.Path) -> "Home":
        chosen = os.environ.get("RDMABENCH_LAB")
        return cls(pathlib.Path(chosen).absolute() if chosen else checkout / ".lab")

    def load(self) -> Lab | None:
        try:
            values = json.loads((self.directory / "lab.json").read_text())
        except FileNotFoundError:
            return None
        values["directory"] = pathlib.Path(values["directory"])
        values["hosts"] = [Host(**host) for host in values["hosts"]]
        values["processes"] = [Process(*process) for process in values["processes"]]
        return Lab(home=self, **values)

    def running(self) -> Lab:
        lab = self.load()
        if not lab or not lab.is_up:
            raise LabError("no lab is up; run `scripts/lab up` first")
        return lab

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One `up` or `down` at a time. A home that is left without a lab is removed."""
        with self._open_lock() as lock:
            try:
                yield
            finally:
                if not (self.directory / "lab.json").exists():
                    os.unlink(lock.name)
                    with contextlib.suppress(OSError):
                        self.directory.rmdir()

    def _open_lock(self) -> TextIO:
        path = self.directory / "lock"
        while True:
            # Whoever held the lock before may have removed the file or the directory meanwhile.
            try:
                self.directory.mkdir(parents=True, exist_ok=True)
                lock = open(path, "w")
            except FileNotFoundError:
                continue
            except OSError as error:
                raise LabError(f"cannot use {self.directory} to remember the lab: {error.strerror}") from error
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print("lab: waiting for another `lab up` or `lab down` to end", file=sys.stderr)
                fcntl.flock(lock, fcntl.LOCK_EX)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(lock.fileno()), os.stat(path)):
                    return lock
            lock.close()
