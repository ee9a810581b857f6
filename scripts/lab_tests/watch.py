"""Watches a process and its children from inside a host: what they take now and took at most.

For each line on standard input it writes a JSON object: the proportional set size of them all now (pss_kib), of it what is no
file's (pss_anon_kib: a page of the program counts for more when fewer others use it), and at most since the line before
(peak_pss_kib), the first process's own peak since it began (hwm_kib), its descriptors, how many processes there
are. It ends with its input.
"""

import json
import os
import pathlib
import re
import select
import sys

EVERY_SECONDS = 0.2


def tree(pid):
    """The process and all below it; those that end meanwhile are left out."""
    yield pid
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from tree(int(child))


def field(pid, file, name):
    """In KiB; 0 of a process that has ended."""
    try:
        found = re.search(rf"^{name}:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/{file}").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) if found else 0


def pss(pid, name="Pss"):
    return sum(field(one, "smaps_rollup", name) for one in tree(pid))


def main():
    pid = int(sys.argv[1])
    peak = 0
    while True:
        ready, _, _ = select.select([sys.stdin], [], [], EVERY_SECONDS)
        now = pss(pid)
        peak = max(peak, now)
        if not ready:
            continue
        if not sys.stdin.readline():
            return
        alive = os.path.exists(f"/proc/{pid}/fd")
        seen = {"pss_kib": now, "pss_anon_kib": pss(pid, "Pss_Anon"), "peak_pss_kib": peak, "hwm_kib": field(pid, "status", "VmHWM"),
                "descriptors": len(os.listdir(f"/proc/{pid}/fd")) if alive else 0, "processes": len(list(tree(pid))) if alive else 0}
        print(json.dumps(seen), flush=True)
        peak = now


if __name__ == "__main__":
    main()
