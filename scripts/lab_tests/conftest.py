"""The lab that all tests here share: two virtual hosts, a and b, booted once and torn down always."""

import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import sanitizer  # noqa: E402
from hosts import LAB, Host, Server  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also run the tests that take long")
    parser.addoption("--sanitizer", action="store_true", help="run the tests that go with sanitizers; the program is built with them")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: takes long; runs with --full only")
    config.addinivalue_line("markers", "sanitizer: also runs with --sanitizer, where all is slow; only=True: nowhere else")
    if config.getoption("--sanitizer"):
        Host.before = sanitizer.ENVIRONMENT


def goes_with_sanitizers(item, wanted):
    marker = item.get_closest_marker("sanitizer")
    return marker is not None if wanted else marker is None or not marker.kwargs.get("only")


def pytest_collection_modifyitems(config, items):
    """Without --full the long ones are not chosen, which is no skip."""
    if not config.getoption("--full"):
        items[:] = [item for item in items if not item.get_closest_marker("full")]
    items[:] = [item for item in items if goes_with_sanitizers(item, config.getoption("--sanitizer"))]


def check_sanitizers():
    for name in ("a", "b"):
        reports = sanitizer.take_reports(Host(name))
        assert not reports, f"on host {name}:\n{reports}"


@pytest.fixture(autouse=True)
def nothing_to_report(request):
    """With --sanitizer, a report of a process that this test has made fails it."""
    yield
    if request.config.getoption("--sanitizer") and "lab" in request.fixturenames:
        check_sanitizers()


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
def both_hosts(request, lab):
    """By name. What ends at the end, such as a module's server, may have something to report, too."""
    both = {name: Host(name) for name in ("a", "b")}
    if not request.config.getoption("--sanitizer"):
        yield both
        return
    for host in both.values():
        sanitizer.prepare(host)
    yield both
    check_sanitizers()


@pytest.fixture(scope="session")
def a(both_hosts):
    return both_hosts["a"]


@pytest.fixture(scope="session")
def b(both_hosts):
    return both_hosts["b"]


@pytest.fixture(scope="module")
def server(a):
    """A server on host a that a module's tests share: it has to survive all of them."""
    with Server(a) as running:
        yield running
        assert running.alive(), "the server did not survive the tests"
