"""A lab beside the shared one, for tests that need hosts of another kind."""

import contextlib
import os
import subprocess
import tempfile

from hosts import LAB


@contextlib.contextmanager
def own_lab(*options):
    """Up while the block runs, and what Host and Server use; `options` are those of `lab up`."""
    shared = os.environ.get("RDMABENCH_LAB")
    with tempfile.TemporaryDirectory(prefix="rdmabench-own-") as folder:
        os.environ["RDMABENCH_LAB"] = folder
        try:
            subprocess.run([LAB, "up", *options], check=True, timeout=600)
            yield
        finally:
            subprocess.run([LAB, "down"], check=True, timeout=120)
            if shared is None:
                del os.environ["RDMABENCH_LAB"]
            else:
                os.environ["RDMABENCH_LAB"] = shared
