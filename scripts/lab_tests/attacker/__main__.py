"""Attacks a server of rdmabench, while an honest client goes on to use it. Runs in a host of the lab: test_attack.py starts it.

Writes a JSON object a line: {"attack": …} for each attack with its problem, if it had one; {"calm": true} before the first
one, and waits for a line on standard input then; {"honest": …} at the end, the honest client's runs.
"""

import argparse
import json
import pathlib
import resource
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import insiders
import pretenders
import strangers
from eavesdropper import Overheard
from honest import Honest
from world import World

CALM_RUNS = 3


def rows(has_secret, full):
    """(name, attack) of all."""
    groups = [("stranger", strangers.ATTACKS), ("pretender", pretenders.ATTACKS if has_secret else ()), ("insider", insiders.ATTACKS)]
    if full:
        groups += [("stranger", strangers.LONG_ATTACKS), ("insider", insiders.LONG_ATTACKS)]
    return [(f"{group}-{attack.__name__}", attack) for group, attacks in groups for attack in attacks]


def tell(**what):
    print(json.dumps(what), flush=True)


def run(name, attack, world):
    began = time.monotonic()
    problem = None
    try:
        attack(world)
    except Exception as error:  # whatever goes wrong is this attack's result, and the others go on
        problem = f"{error!r}\n{''.join(traceback.format_tb(error.__traceback__)[-3:])}"
    tell(attack=name, began=began, ended=time.monotonic(), problem=problem)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", default="a")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--address", required=True, help="the attacker's own")
    parser.add_argument("--secret-file")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--slowness", type=int, default=1, help="how many times slower than usual the server is")
    parser.add_argument("--only", default="", help="attacks whose names contain this")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    world = World((options.server, options.port), options.address, options.secret_file, options.slowness)
    world.overheard = Overheard(world)
    honest = Honest(world)
    for _ in range(CALM_RUNS):
        honest.run_once()
    tell(calm=True)
    sys.stdin.readline()
    with honest:
        for name, attack in rows(world.secret is not None, options.full):
            if options.only in name:
                run(name, attack, world)
    tell(honest=honest.runs)


if __name__ == "__main__":
    main()
