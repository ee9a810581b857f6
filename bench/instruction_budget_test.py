#!/usr/bin/python3
"""Fails when a message costs the hot loop more instructions than its budget.

Runs hot_loop_cost under callgrind for two message counts; the difference of the totals below RunStream, less what the fake verbs'
own functions executed, divided by the difference of the counts, is the cost of a message. Set-up is the same in both and drops
out. The figures are those of the machine code, the same on every run.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# (post list, signal every, most instructions a message)
BUDGETS = [(1, 100, 45.0), (1, 1, 65.0), (32, 32, 2.2)]
FEW, MANY = 64_000, 192_000
# Which functions belong to the fake device.
FAKE = re.compile(r"rdmabench::fake::")


def profile(binary, messages, post_list, signal_every, folder):
    """Callgrind's self cost by function, within RunStream."""
    out = folder / f"callgrind.{post_list}.{signal_every}.{messages}"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--compress-strings=no", "--compress-pos=no",
               "--toggle-collect=rdmabench::RunStream(*", binary, str(messages), str(post_list), str(signal_every)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"valgrind failed:\n{done.stderr}")
    return done.stdout, out.read_text()


def self_costs(text):
    """{function: instructions} from a callgrind file: cost lines after fn=, but not the one after calls=."""
    costs, function, is_call = {}, None, False
    for line in text.splitlines():
        if line.startswith("fn="):
            function = line[3:]
        elif line.startswith("calls="):
            is_call = True
        elif function and re.match(r"[0-9+*-]", line):
            if not is_call:
                costs[function] = costs.get(function, 0) + int(line.split()[1])
            is_call = False
    return costs


def fake_and_ours(costs):
    """Instructions of the fake device with all that it calls in libc, and of the rest."""
    fake = sum(cost for name, cost in costs.items() if belongs_to_fake(name))
    return fake, sum(costs.values()) - fake


def belongs_to_fake(name):
    # What the fake calls: its locks and copies. The loop calls nothing but post and poll, so these are not its own.
    return bool(FAKE.search(name)) or bool(re.search(r"pthread|mem(cpy|move|set)|std::(deque|shared|__shared|_Sp)", name))


def main():
    binary = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "bench/hot_loop_cost").resolve())
    failed = False
    with tempfile.TemporaryDirectory() as name:
        for post_list, signal_every, budget in BUDGETS:
            totals = []
            for count in (FEW, MANY):
                _, text = profile(binary, count, post_list, signal_every, pathlib.Path(name))
                totals.append(fake_and_ours(self_costs(text)))
            cost = (totals[1][1] - totals[0][1]) / (MANY - FEW)
            fake = (totals[1][0] - totals[0][0]) / (MANY - FEW)
            verdict = "ok" if 0 < cost <= budget else "TOO MUCH"
            failed |= verdict != "ok"
            print(f"post list {post_list}, signal every {signal_every}: {cost:.2f} instructions a message, "
                  f"allowed {budget} ({fake:.1f} more in the fake device): {verdict}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
