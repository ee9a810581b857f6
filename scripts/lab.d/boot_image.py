"""Packs the initial ramdisk of a lab's hosts: busybox, the first modules, the guest's programs, keys and names.

All hosts of a lab boot from the same one; which host it is stands on the kernel's command line.
"""

import pathlib
import shutil
import subprocess

from errors import LabError
from kernel import Kernel
from state import Lab

GUEST_SOURCES = pathlib.Path(__file__).resolve().parent / "guest"

# Enough to reach the root file system; the others come from /lib/modules there.
FIRST_MODULES = ["virtio_pci", "virtio_net", "9p", "9pnet_virtio", "overlay"]

SSHD_CONFIG = """\
HostKey /run/lab/host_key
AuthorizedKeysFile /run/lab/authorized_keys
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
UseDNS no
PrintMotd no
PrintLastLog no
LogLevel QUIET
MaxSessions 200
MaxStartups 200
"""


class Archive:
    """A cpio archive of the "newc" kind, as the kernel reads it."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._inode = 0

    def add(self, name: str, content: bytes = b"", mode: int = 0o100755) -> None:
        self._inode += 1
        encoded = name.encode() + b"\0"
        # inode, mode, uid, gid, links, mtime, size, four device numbers, length of the name, checksum
        fields = (self._inode, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
        self._bytes += b"070701" + b"".join(b"%08X" % field for field in fields) + encoded
        self._pad()
        self._bytes += content
        self._pad()

    def finish(self) -> bytes:
        self.add("TRAILER!!!")
        return bytes(self._bytes)

    def _pad(self) -> None:
        self._bytes += b"\0" * (-len(self._bytes) % 4)


def write(lab: Lab, kernel: Kernel, target: pathlib.Path) -> None:
    for name in ("host_key", "login_key"):
        _make("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "rdmabench-lab", "-f", lab.directory / name)
    _make("g++", "-std=c++20", "-O1", "-static", GUEST_SOURCES / "run.cc", "-o", lab.directory / "run")
    archive = Archive()
    for directory in ("bin", "dev", "lab", "modules"):
        archive.add(directory, mode=0o040755)
    archive.add("init", (GUEST_SOURCES / "init").read_bytes())
    archive.add("bin/busybox", pathlib.Path(shutil.which("busybox") or "/bin/busybox").read_bytes())

    modules = kernel.module_files(FIRST_MODULES)
    for path in modules:
        archive.add(f"modules/{path.name}", path.read_bytes())
    archive.add("modules/order", "".join(path.name + "\n" for path in modules).encode())

    archive.add("lab/start", (GUEST_SOURCES / "start").read_bytes())
    archive.add("lab/run", (lab.directory / "run").read_bytes())
    archive.add("lab/sshd_config", SSHD_CONFIG.encode())
    archive.add("lab/host_key", (lab.directory / "host_key").read_bytes(), mode=0o100600)
    archive.add("lab/authorized_keys", (lab.directory / "login_key.pub").read_bytes())
    archive.add("lab/hosts", _host_names(lab).encode())
    target.write_bytes(archive.finish())


def _make(*command: object) -> None:
    result = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        raise LabError(f"{command[0]} failed: {result.stderr.strip()}")


def _host_names(lab: Lab) -> str:
    lines = ["127.0.0.1 localhost", "::1 localhost"]
    for host in lab.hosts:
        lines += [f"192.168.77.{host.number} {host.name}", f"fd77::{host.number} {host.name}"]
    return "\n".join(lines) + "\n"
