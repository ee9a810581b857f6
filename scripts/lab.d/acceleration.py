"""Whether this machine's /dev/kvm is of use; what was found is kept in the cache.

It may exist, and open, and yet a guest hangs at its first instructions. So the proof is a guest whose kernel comes up
within the deadline.
"""

import contextlib
import os
import pathlib

from kernel import cache_directory

KVM = pathlib.Path("/dev/kvm")
KVM_DEADLINE_SECONDS = 20


def candidates() -> list[str]:
    """What to try, best first; the last one works everywhere."""
    with contextlib.suppress(OSError):
        os.close(os.open(KVM, os.O_RDWR))
        if not _answer().exists() or _answer().read_text().strip() == "kvm":
            return ["kvm", "tcg"]
    return ["tcg"]


def remember(acceleration: str) -> None:
    """Keeps an answer that was found by trying; where there is no /dev/kvm, nothing was tried."""
    if KVM.exists():
        _answer().write_text(acceleration + "\n")


def _answer() -> pathlib.Path:
    # The cache may lie in a home directory that several machines share.
    return cache_directory() / f"acceleration-{os.uname().nodename}"
