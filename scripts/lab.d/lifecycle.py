"""Takes a lab up and down, and says what is up."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import boot
import kernel
import login
import machine
import processes
from errors import LabError
from interruption import deferred, ignore_signals
from state import Home, Host, Lab, Wish

# A socket's path has at most 107 bytes; the longest that is made in the directory, vde_switch's, needs about 35.
LONGEST_DIRECTORY = 70

PROGRAMS = (
    "apt-get busybox depmod dpkg-deb g++ ip modprobe qemu-system-x86_64 rdma ssh ssh-keygen sshd tc vde_switch"
).split()


def up(home: Home, scripts: pathlib.Path, wish: Wish) -> None:
    started = time.monotonic()
    _install_missing(scripts)
    with home.locked():
        present = home.load()
        if present and present.is_up and _is_whole(present):
            _require_same(present, wish)
            print(f"the lab is already up: {_describe(present)}")
            return
        if present:
            print("lab: first removing what a broken lab left behind", file=sys.stderr)
            _take_down(present)
        host_kernel = kernel.find_or_fetch()
        try:
            lab = _create(home, wish)
            boot.boot(lab, host_kernel)
            lab.is_up = True
            lab.save()
        except BaseException as error:
            ignore_signals()
            if lab := home.load():
                if isinstance(error, LabError):
                    boot.print_consoles(lab)
                _take_down(lab)
            raise
    print(f"the lab is up after {time.monotonic() - started:.0f} s: {_describe(lab)}")


def down(home: Home) -> None:
    with home.locked():
        lab = home.load()
        if lab:
            ignore_signals()
            _take_down(lab)
    print("the lab is down" if lab else "no lab was up")


def status(home: Home) -> int:
    lab = home.load()
    if not lab or not lab.is_up:
        print("a lab is being taken up, or was abandoned on the way" if lab else "no lab is up")
        return 1
    is_whole = _is_whole(lab)
    print(f"the lab is {'up' if is_whole else 'broken, one of its processes has ended'}: {_describe(lab)}")
    for host in lab.hosts:
        print(f"  {host.name}  192.168.77.{host.number}  fd77::{host.number}  console log {lab.console(host)}")
    print(f"  for a terminal: ssh -t -F {login.config_path(lab)} {lab.hosts[0].name}")
    return 0 if is_whole else 1


def set_cable(home: Home, name: str, rail: int, is_plugged: bool) -> None:
    lab = home.running()
    if not 1 <= rail <= lab.rails:
        raise LabError(f"there is no rail {rail}; the lab has {lab.rails}")
    machine.set_cable(lab, lab.host(name), rail - 1, is_plugged)


def _install_missing(scripts: pathlib.Path) -> None:
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if not missing:
        return
    print(f"lab: {', '.join(missing)} missing; running scripts/setup --packages-only", file=sys.stderr)
    subprocess.run([scripts / "setup", "--packages-only"], stdin=subprocess.DEVNULL, stdout=sys.stderr)
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing:
        raise LabError(f"still missing: {', '.join(missing)}; run scripts/setup as an administrator")


def _is_whole(lab: Lab) -> bool:
    return all(map(processes.is_running, lab.processes))


def _require_same(lab: Lab, wish: Wish) -> None:
    if not wish.is_met_by(lab):
        raise LabError(f"another lab is up here: {_describe(lab)}; end it with `scripts/lab down` first")


def _describe(lab: Lab) -> str:
    names = " ".join(host.name for host in lab.hosts)
    means = {"kvm": "KVM", "tcg": "software emulation (TCG)"}[lab.acceleration]
    rails = f", {lab.rails} rails" if lab.rails > 1 else ""
    return f"hosts {names}, topology {lab.topology}{rails}, link {lab.link}, run by {means}"


def _create(home: Home, wish: Wish) -> Lab:
    hosts = [Host(chr(ord("a") + i), i + 1) for i in range(wish.hosts or 2)]
    with deferred():
        directory = pathlib.Path(tempfile.mkdtemp(prefix="rdmabench-lab."))
        lab = Lab(home, directory, wish.topology or "flat", hosts, wish.link or "prompt", wish.rails or 1)
        lab.save()
    if len(os.fsencode(directory)) > LONGEST_DIRECTORY:
        raise LabError(f"{directory} is too long a path for sockets; set TMPDIR to a shorter one, such as /tmp")
    for path, variable in ((directory, "TMPDIR"), (kernel.cache_directory(), "RDMABENCH_LAB_CACHE")):
        if set(str(path)) & set(",'\"\\"):
            raise LabError(f"QEMU cannot be given the path {path}, for its comma or quote; set {variable} to another")
    return lab


def _take_down(lab: Lab) -> None:
    processes.end(lab.processes)
    shutil.rmtree(lab.directory, ignore_errors=True)
    (lab.home.directory / "lab.json").unlink(missing_ok=True)
