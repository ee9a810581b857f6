"""An honest client from the host's ordinary address, again and again, as long as the attacks go on."""

import subprocess
import threading
import time

# What a run may take from start to end; only for a hung one.
HANGS_SECONDS = 120


class Honest:
    """`runs`: when each began and ended (time.monotonic), its exit code, and what it said when it failed."""

    def __init__(self, world):
        host, port = world.server
        # A message is one packet: where rxe sends part of a longer one again, its peer may take that for ill-formed.
        self.command = ["rdmabench", "write_bw", host, "-p", str(port), "-n", "64", "-s", "1K", "--quiet"]
        if world.secret_file:
            self.command += ["--secret-file", world.secret_file]
        self.runs = []
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._go_on)

    def run_once(self):
        began = time.monotonic()
        try:
            done = subprocess.run(self.command, capture_output=True, text=True, timeout=HANGS_SECONDS)
            code, words = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            code, words = None, f"still running after {HANGS_SECONDS} s"
        self.runs.append({"began": began, "ended": time.monotonic(), "code": code, "stderr": words})

    def _go_on(self):
        while not self.stopping.is_set():
            self.run_once()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.thread.join()
