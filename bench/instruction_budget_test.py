#!/usr/bin/python3
"""Fails when a message costs the hot loop more instructions than its budget.

Runs hot_loop_cost under callgrind for two message counts; the difference of the totals below CountedRun, less what the fake
verbs' own functions executed, divided by the difference of the counts, is the cost of a message. Set-up is the same in both and
drops out. The figures are those of the machine code, the same on every run.

What recording a round trip costs is a probe less one that does nothing, each called by the loop that measures round trips: the loop,
which reads the clock, and the call are the same in both.

The sender's figure has all from its post to its completion. Where the op takes receive requests it has the look at the credits, too,
and the receiver's has the completion, the request posted again in its chain, and the chain's credit.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# (op, side, post list, signal every, most instructions a message)
BUDGETS = [
    ("write", "sender", 1, 100, 45.0),
    ("write", "sender", 1, 1, 65.0),
    ("write", "sender", 32, 32, 2.2),
    ("read", "sender", 1, 1, 65.0),
    ("send", "sender", 1, 100, 47.0),
    ("send", "receiver", 1, 100, 34.0),
    ("send_imm", "numberer", 1, 100, 45.0),
    ("send_imm", "tracker", 1, 100, 48.0),
]
# (op, side, the same side without what is counted, most instructions a sample)
PROBE_BUDGETS = [
    ("read", "recorder", "pinger", 25.0),
    ("read", "keeper", "recorder", 12.0),
]
FEW, MANY = 64_000, 192_000
# Which functions belong to the fake device.
FAKE = re.compile(r"rdmabench::fake::")


def profile(binary, arguments, folder):
    """The callgrind file of a run, within CountedRun."""
    out = folder / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--compress-strings=no", "--compress-pos=no",
               "--toggle-collect=rdmabench::CountedRun(*", binary, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"valgrind failed:\n{done.stderr}")
    return out.read_text()


def costs(text):
    """(all instructions, those of the fake device with all that it calls) from a callgrind file.

    Self costs are the lines after fn=; a line after calls= is the inclusive cost of a call. What the loop itself calls, a lock or a
    copy, is the loop's.
    """
    everything = fake = 0
    function = callee = None
    is_call = False
    for line in text.splitlines():
        if line.startswith("fn="):
            function = line[3:]
        elif line.startswith("cfn="):
            callee = line[4:]
        elif line.startswith("calls="):
            is_call = True
        elif function and re.match(r"[0-9+*-]", line):
            cost = int(line.split()[1])
            if not is_call:
                everything += cost
            elif FAKE.search(callee) and not FAKE.search(function):
                fake += cost
            is_call = False
    return everything, fake


def cost_of(binary, op, side, post_list, signal_every):
    """(instructions a message in the loop, those in the fake device)"""
    totals = []
    with tempfile.TemporaryDirectory() as name:
        for count in (FEW, MANY):
            totals.append(costs(profile(binary, (op, side, count, post_list, signal_every), pathlib.Path(name))))
    fake = (totals[1][1] - totals[0][1]) / (MANY - FEW)
    return (totals[1][0] - totals[0][0]) / (MANY - FEW) - fake, fake


def is_within(cost, budget, what):
    verdict = "ok" if 0 < cost <= budget else "TOO MUCH"
    print(f"{what}, allowed {budget}: {verdict}")
    return verdict == "ok"


def main():
    binary = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "bench/hot_loop_cost").resolve())
    held = []
    for op, side, post_list, signal_every, budget in BUDGETS:
        cost, fake = cost_of(binary, op, side, post_list, signal_every)
        what = f"{op}, {side}, post list {post_list}, signal every {signal_every}: {cost:.2f} instructions a message"
        held.append(is_within(cost, budget, f"{what} ({fake:.1f} more in the fake device)"))
    for op, side, without, budget in PROBE_BUDGETS:
        cost = cost_of(binary, op, side, 1, 1)[0] - cost_of(binary, op, without, 1, 1)[0]
        held.append(is_within(cost, budget, f"{op}, {side} less {without}: {cost:.2f} instructions a sample"))
    sys.exit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
