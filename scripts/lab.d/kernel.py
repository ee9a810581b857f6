"""Keeps Debian's kernel and the modules that a lab host may want in a cache; nothing is installed on this machine."""

import contextlib
import fcntl
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from typing import NamedTuple

from errors import LabError

PACKAGE = "linux-image-amd64"

# Of the 400 MB in the package these parts are kept, as patterns of GNU tar. After a change here, remove the cache.
WANTED = [
    "*/vmlinuz-*",
    "*/modules.builtin",
    "*/modules.builtin.modinfo",
    "*/modules.order",
    "*/kernel/arch/*",
    "*/kernel/crypto/*",
    "*/kernel/lib/*",
    "*/kernel/net/*",
    "*/kernel/fs/9p/*",
    "*/kernel/fs/configfs/*",
    "*/kernel/fs/fscache/*",
    "*/kernel/fs/netfs/*",
    "*/kernel/fs/overlayfs/*",
    "*/kernel/drivers/char/hw_random/*",
    "*/kernel/drivers/infiniband/core/*",
    "*/kernel/drivers/infiniband/sw/*",
    "*/kernel/drivers/infiniband/ulp/*",
    "*/kernel/drivers/net/*.ko",
    "*/kernel/drivers/virtio/*",
]


class Kernel(NamedTuple):
    version: str
    image: pathlib.Path
    modules: pathlib.Path  # the directory that is /lib/modules in a host

    def module_files(self, names: list[str]) -> list[pathlib.Path]:
        """The files of these modules and of all that they need, in the order in which they must be loaded."""
        needs = {}
        for line in (self.modules / self.version / "modules.dep").read_text().splitlines():
            path, _, rest = line.partition(":")
            needs[pathlib.Path(path).stem.replace("-", "_")] = [path, *rest.split()]
        files: dict[pathlib.Path, None] = {}
        for name in names:
            for path in reversed(needs[name]):
                files[self.modules / self.version / path] = None
        return list(files)


def cache_directory() -> pathlib.Path:
    chosen = os.environ.get("RDMABENCH_LAB_CACHE")
    user = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    directory = pathlib.Path(chosen) if chosen else pathlib.Path(user) / "rdmabench" / "lab"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"cannot use {directory}: {error.strerror}; set RDMABENCH_LAB_CACHE to another") from error
    return directory.absolute()


def find_or_fetch() -> Kernel:
    cache = cache_directory()
    with open(cache / "lock", "w") as lock:
        # The second of two labs waits for the first one's download instead of repeating it.
        fcntl.flock(lock, fcntl.LOCK_EX)
        present = sorted(cache.glob("kernel-*"), key=lambda path: path.stat().st_mtime)
        if not present:
            for unfinished in cache.glob("unfinished-*"):
                shutil.rmtree(unfinished)
            present = [_fetch(cache)]
    version = present[-1].name.removeprefix("kernel-")
    return Kernel(version, present[-1] / "vmlinux", present[-1] / "modules")


def _fetch(cache: pathlib.Path) -> pathlib.Path:
    print("lab: fetching Debian's kernel, once", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=cache, prefix="unfinished-") as temporary:
        work = pathlib.Path(temporary)
        version = _download(work)
        (package,) = work.glob("*.deb")
        unpacked = work / "unpacked"
        unpacked.mkdir()
        _run(f'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --wildcards {_quoted(WANTED)}', package, unpacked)
        (modules,) = unpacked.glob("**/modules/" + version)
        _run('depmod -b "$1" "$2"', unpacked, version)

        finished = work / "finished"
        finished.mkdir()
        modules.parent.rename(finished / "modules")
        _unpack_image(next(unpacked.glob("**/vmlinuz-*")), finished / "vmlinux")
        kept = cache / f"kernel-{version}"
        finished.rename(kept)
        return kept


def _download(work: pathlib.Path) -> str:
    """Downloads the package; when the package lists are missing or too old, updates them and tries once more."""
    for is_last in (False, True):
        depends = subprocess.run(["apt-cache", "depends", PACKAGE], capture_output=True, text=True).stdout
        found = re.search(r"Depends: linux-image-(\d\S*)", depends)
        download = None
        if found:
            download = subprocess.run(
                ["apt-get", "download", "-q", f"linux-image-{found[1]}"], cwd=work, capture_output=True, text=True
            )
            if download.returncode == 0:
                return found[1]
        if not is_last:
            update = ["apt-get", "update", "-q"]
            command = update if os.geteuid() == 0 else ["sudo", "-n", *update]
            with contextlib.suppress(FileNotFoundError):  # no sudo; then the lists stay as they are
                subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    reason = download.stderr.strip() if download else f"apt does not know {PACKAGE}"
    raise LabError(f"cannot download Debian's kernel: {reason}")


def _unpack_image(compressed: pathlib.Path, target: pathlib.Path) -> None:
    """Takes the ELF image out of the bzImage, because unpacking it in an emulated processor takes three seconds.

    Offsets as in the kernel's Documentation/x86/boot.rst. An image that is not packed by xz is kept as it is.
    """
    image = compressed.read_bytes()
    setup_sectors = image[0x1F1]
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    try:
        target.write_bytes(lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(image[start : start + length]))
    except lzma.LZMAError:
        shutil.copy(compressed, target)


def _quoted(patterns: list[str]) -> str:
    return " ".join(f"'{pattern}'" for pattern in patterns)


def _run(script: str, *arguments: object) -> None:
    command = ["bash", "-o", "pipefail", "-c", script, "lab", *map(str, arguments)]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        raise LabError(f"cannot prepare the kernel: `{script}` failed: {result.stderr.strip()}")
