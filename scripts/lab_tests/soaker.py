"""Runs many clients in a host of the lab, up to 20 at once, and kills some of them at random moments. test_soak.py starts it.

Writes a JSON object a line for each client that has ended, {"phase": …} behind the last one of a phase, and waits for a line on
standard input there. The same seed makes the same choices.
"""

import argparse
import concurrent.futures
import json
import random
import signal
import statistics
import subprocess
import sys
import time

REFERENCE = ["write_bw", "-s", "1K", "-n", "5000"]
MIXED = [
    ["write_bw", "-s", "1K", "-n", "200"],
    ["write_lat", "-n", "100"],
    ["write_bw", "-c", "uc", "-s", "1K", "-n", "200", "-q", "4"],
    ["write_imm_bw", "-s", "64", "-n", "200"],
    ["write_imm_lat", "-c", "uc", "-n", "50"],
    ["read_bw", "-s", "4K", "-n", "200"],
    ["read_lat", "-n", "100"],
    ["send_bw", "-s", "1K", "-n", "200", "-b"],
    ["send_bw", "-c", "ud", "-s", "512", "-n", "200"],
    ["send_lat", "-c", "ud", "-n", "50"],
    ["send_lat", "-c", "uc", "-n", "50"],
    ["send_imm_bw", "-s", "64", "-D", "0.3", "-e"],
    ["fetch_add_lat", "-n", "50"],
    ["cmp_swap_bw", "-n", "100"],
    ["write_bw", "-s", "64K", "-D", "0.3", "-q", "2", "--threads", "2"],
    ["write_bw", "-R", "-s", "1K", "-n", "200"],
    ["send_bw", "-R", "-c", "ud", "-s", "512", "-n", "100"],
    ["send_bw", "--reversed", "-s", "1K", "-n", "200", "-x", "1"],
    ["write_bw", "-s", "64,1K,4K", "-n", "50", "--runs", "2", "--verify"],
    ["doctor"],
]
# How many at once, and of how many clients the block consists: most of them crowd the queue, the others are likelier to be
# met while they run.
BLOCKS = [(20, 140), (4, 60), (1, 60)]


def client(options, test, kill_after=None, kill_with=None):
    """One client from start to end, killed on the way if `kill_after` says so."""
    command = ["rdmabench", test[0], options.server, "-p", str(options.port), *test[1:]]
    command += ["--json"] if test[0] == "doctor" else ["--json", "-", "--quiet", "--wait", "600"]
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    sent = None
    try:
        stdout, stderr = process.communicate(timeout=kill_after or 600)
    except subprocess.TimeoutExpired:
        sent = kill_with.name if kill_after else "SIGKILL"
        process.send_signal(kill_with if kill_after else signal.SIGKILL)
        stdout, stderr = process.communicate(timeout=60)
    return {"test": " ".join(test), "code": process.returncode, "sent": sent, "hung": sent is not None and kill_after is None,
            "seconds": time.monotonic() - began, "stdout": stdout, "stderr": stderr[-2000:]}


def tell(phase, ended):
    stdout = ended.pop("stdout")
    ended["rate"] = None
    if ended["code"] == 0 and phase != "mixed":
        ended["rate"] = json.loads(stdout)["results"][0]["bandwidth"]["bytes_per_second"]
    ended["document"] = stdout if ended["code"] not in (0, -signal.SIGKILL) else ""
    print(json.dumps({"client": ended}), flush=True)


def await_go(phase):
    print(json.dumps({"phase": phase}), flush=True)
    sys.stdin.readline()


def reference(options, phase):
    seconds = []
    for _ in range(options.references):
        ended = client(options, REFERENCE)
        seconds.append(ended["seconds"])
        tell(phase, ended)
    await_go(phase)
    return statistics.median(seconds)


def mixed(options, alone_seconds):
    """`alone_seconds`: what a client takes when nobody else is there; with N in the queue each takes N times that."""
    chance = random.Random(options.seed)
    for at_once, count in BLOCKS:
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            running = []
            for _ in range(count * options.percent // 100):
                test = chance.choice(MIXED)
                kill_after = chance.uniform(0.0, at_once * alone_seconds) if chance.random() < 0.45 else None
                running.append(pool.submit(client, options, test, kill_after, chance.choice([signal.SIGKILL, signal.SIGTERM])))
            for one in concurrent.futures.as_completed(running):
                tell("mixed", one.result())
    await_go("mixed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", default="a")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--references", type=int, default=20)
    parser.add_argument("--percent", type=int, default=100, help="of the mixed clients")
    options = parser.parse_args()
    alone_seconds = reference(options, "first")
    mixed(options, alone_seconds)
    reference(options, "last")


if __name__ == "__main__":
    main()
