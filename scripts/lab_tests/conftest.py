"""The lab that all tests here share: two virtual hosts, a and b, booted once and torn down always."""

import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from hosts import LAB, Host, Server  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also run the tests that take long")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: takes long; runs with --full only")


def pytest_collection_modifyitems(config, items):
    """Without --full the long ones are not chosen, which is no skip."""
    if not config.getoption("--full"):
        items[:] = [item for item in items if not item.get_closest_marker("full")]


@pytest.fixture(scope="session")
def lab():
    """A lab of this run's own, so that one of the user's stays as it is."""
    if "RDMABENCH_LAB" in os.environ:  # a developer's own lab, up already
        yield
        return
    with tempfile.TemporaryDirectory(prefix="rdmabench-tests-") as folder:
        os.environ["RDMABENCH_LAB"] = folder
        try:
            subprocess.run([LAB, "up"], check=True, timeout=600)
            yield
        finally:
            subprocess.run([LAB, "down"], check=True, timeout=120)
            del os.environ["RDMABENCH_LAB"]


@pytest.fixture(scope="session")
def a(lab):
    return Host("a")


@pytest.fixture(scope="session")
def b(lab):
    return Host("b")


@pytest.fixture(scope="module")
def server(a):
    """A server on host a that a module's tests share: it has to survive all of them."""
    with Server(a) as running:
        yield running
        assert running.alive(), "the server did not survive the tests"
