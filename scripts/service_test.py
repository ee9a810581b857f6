"""The server as a service: what it tells a service manager, its log for programs, and the unit of systemd. Needs no RDMA device."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import jsonschema
import pytest

from real_program import PATIENCE, REPOSITORY, Server, enter, require_program, run, status, wire

PLANS = REPOSITORY / "bench" / "testdata" / "corpus" / "plan"
UNIT = REPOSITORY / "scripts" / "systemd" / "rdmabench.service"


@pytest.fixture(scope="session", autouse=True)
def program():
    require_program()


class Manager:
    """In place of systemd: the socket that $NOTIFY_SOCKET names."""

    def __init__(self, address):
        self.address = address
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.settimeout(PATIENCE)
        self.socket.bind("\0" + address[1:] if address.startswith("@") else address)

    def next(self):
        return dict(line.split("=", 1) for line in self.socket.recv(4096).decode().splitlines())

    def wait_for(self, key, value):
        while True:
            told = self.next()
            if told.get(key) == value:
                return told


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_text("0123456789abcdef\n")
    path.chmod(0o400)
    return path


@pytest.mark.parametrize("is_abstract", [False, True])
def test_a_manager_hears_of_start_reload_and_end(tmp_path, secret, is_abstract):
    manager = Manager(f"@rdmabench-{os.getpid()}" if is_abstract else str(tmp_path / "notify"))
    with Server("--log-format", "json", "--secret-file", str(secret), environment={"NOTIFY_SOCKET": manager.address}) as server:
        assert manager.next() == {"READY": "1"}
        server.process.send_signal(signal.SIGHUP)
        assert int(manager.wait_for("RELOADING", "1")["MONOTONIC_USEC"]) > 0
        manager.wait_for("READY", "1")
        assert server.wait_for_event("secret_read")
        assert server.end() == 0
        assert "STATUS" in manager.wait_for("STOPPING", "1")


def test_a_manager_that_is_not_there_is_said_and_survived():
    with Server("--log-format", "json", environment={"NOTIFY_SOCKET": "/nonexistent/notify"}) as server:
        assert "/nonexistent/notify" in server.wait_for_event("manager_lost")["text"]
        assert status(server).returncode == 0
        assert server.end() == 0


def test_the_log_for_programs_is_an_object_a_line():
    with Server("--log-format", "json") as server:
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as hostile:
            hostile.sendall(b"GET /\n\x1b[2J HTTP/1.1\r\n\r\n")
            dismissed = server.wait_for_event("dismissed")
        assert dismissed["peer"].startswith("127.0.0.1:") and dismissed["error"]["message"] and dismissed["error"]["code"] == "no_frame"
        assert server.end() == 0
        events = [json.loads(line) for line in server.lines]
    assert [events[0]["event"], events[-1]["event"]] == ["listening", "shutting_down"]
    for event in events:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["time"])
        assert all(re.fullmatch("[a-z_]+", key) for key in event)


def test_a_start_that_fails_is_a_line_of_that_log():
    with Server() as server:
        done = run("server", "--bind", "127.0.0.1", "--port", server.port, "--log-format", "json")
    assert done.returncode == 3
    event = json.loads(done.stderr)
    assert event["event"] == "server_failed" and str(server.port) in event["error"]["message"] and event["error"]["remedy"]
    assert event["error"]["code"] == "port_taken"


def test_status_says_that_it_is_idle():
    schema = json.loads((REPOSITORY / "cmd" / "status_schema.json").read_text())
    with Server("--max-queue", "5") as server:
        done = status(server, "--json")
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        jsonschema.Draft202012Validator(schema).validate(document)
        assert document["pid"] == server.process.pid and document["sessions"] == [] and document["limits"]["queued"] == 5
        text = status(server).stdout
        assert "sessions: none" in text and "queue: empty" in text


@pytest.mark.parametrize("has_secret", [False, True])
def test_status_of_a_server_that_stands_still_ends_in_time(secret, has_secret):
    words = ("--secret-file", str(secret)) if has_secret else ()
    with Server(*words) as server:
        server.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        done = status(server, *words)
        assert done.returncode == 1 and "within 5 s" in done.stderr, done.stderr
        assert time.monotonic() - began < 5 + 2
        server.process.send_signal(signal.SIGCONT)


def test_status_has_to_prove_the_secret(tmp_path, secret):
    wrong = tmp_path / "wrong"
    wrong.write_text("fedcba9876543210\n")
    wrong.chmod(0o400)
    with Server("--secret-file", str(secret), "--log-format", "json") as server:
        assert status(server, "--secret-file", secret).returncode == 0
        without = status(server)
        assert without.returncode == 1 and "--secret-file" in without.stderr
        assert "peer" not in without.stderr, "its own words are told as the server's"
        assert server.wait_for_event("dismissed")["error"]["code"] == "secret"
        assert "wrong secret" in status(server, "--secret-file", wrong).stderr
    with Server() as open_server:
        done = status(open_server, "--secret-file", secret)
        assert done.returncode == 1 and "has no secret" in done.stderr


def test_status_of_what_is_no_server_of_this_protocol_is_an_error():
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]

    def answer():
        connection, _ = listener.accept()
        with connection:
            body = json.dumps({"error": {"message": "the client speaks protocol 5, the server protocol 4", "blame": "run"}}).encode()
            connection.sendall(len(body).to_bytes(4, "big") + body)
            connection.recv(4096)

    thread = threading.Thread(target=answer)
    thread.start()
    done = run("status", "127.0.0.1", "-p", port)
    thread.join(PATIENCE)
    listener.close()
    assert done.returncode == 1 and "protocol 4" in done.stderr


def plan(group=None, **changed):
    """One that a server with a device grants, but for what is changed in its test."""
    body = json.loads((PLANS / "proposed_0").read_text())
    if group:
        body["tests"][0][group].update(changed)
    return body


REFUSED = {
    "queue_pairs": plan("queue", queue_pairs=10**9),
    "--threads": plan("queue", threads=2),
    "working_set_bytes": plan("memory", working_set_bytes=10**15),
    "duration_ms": plan("run", duration_ms=10**15),
    "no_such_key": plan("run", no_such_key=1),
    "offer": {},
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_plan_that_is_not_accepted_is_a_refusal(name):
    """By name, before a device is opened."""
    with Server("--log-format", "json") as server:
        with enter(server) as client:
            client.say("plan", REFUSED[name])
            wire.check_refused(client, name)
        ended = server.wait_for_event("session_ended")
        totals = json.loads(status(server, "--json").stdout)["totals"]
    assert ended["outcome"] == "refused" and ended["text"].startswith("refused: ") and name in ended["error"]["message"]
    assert [totals[f"sessions_{how}"] for how in ("done", "refused", "failed")] == [0, 1, 0]


def test_a_client_that_leaves_without_a_plan_is_a_failure():
    with Server("--log-format", "json") as server:
        enter(server).reset()
        assert server.wait_for_event("session_ended")["outcome"] == "failed"
        totals = json.loads(status(server, "--json").stdout)["totals"]
    assert [totals[f"sessions_{how}"] for how in ("done", "refused", "failed")] == [0, 0, 1]


def settings():
    """The unit's lines: (section, key) → values."""
    found = {}
    section = None
    for line in UNIT.read_text().splitlines():
        if re.fullmatch(r"\[\w+\]", line):
            section = line[1:-1]
        elif line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault((section, key), []).append(value)
    return found


def test_the_unit_starts_the_server_with_options_that_it_has():
    command = settings()["Service", "ExecStart"][0].split()
    known = run("server", "--help").stdout
    assert command[:2] == ["/usr/local/bin/rdmabench", "server"]
    for word in command[2:]:
        if word.startswith("-"):
            assert word.split("=")[0] in known, word


def test_the_unit_gives_what_the_server_needs_and_takes_the_rest():
    unit = settings()
    service = {key: values for (section, key), values in unit.items() if section == "Service"}
    assert service["Type"] == ["notify"] and service["NoNewPrivileges"] == ["yes"] and service["PrivateTmp"] == ["yes"]
    assert service["LimitMEMLOCK"] == ["infinity"] and service["CapabilityBoundingSet"] == [""]
    assert service["DevicePolicy"] == ["closed"] and "char-infiniband_verbs rw" in service["DeviceAllow"]
    assert "PrivateDevices" not in service, "/dev/infiniband would be gone"
    assert {"AF_INET", "AF_INET6", "AF_NETLINK", "AF_UNIX"} == set(service["RestrictAddressFamilies"][0].split())
    assert service["ExecReload"] == ["/bin/kill -HUP $MAINPID"] and service["KillMode"] == ["mixed"]


def test_systemd_knows_every_line_of_the_unit(tmp_path):
    """Where there is no systemd, that every line is one of those that were checked with it."""
    text = UNIT.read_text().replace("/usr/local/bin/rdmabench", "/bin/true")
    if shutil.which("systemd-analyze") is None:
        checked = {"Type", "User", "Group", "EnvironmentFile", "ExecStart", "ExecReload", "Restart", "RestartSec", "KillMode",
                   "TimeoutStopSec", "LimitMEMLOCK", "LimitNOFILE", "NoNewPrivileges", "CapabilityBoundingSet",
                   "AmbientCapabilities", "RestrictSUIDSGID", "RestrictNamespaces", "LockPersonality", "RestrictRealtime",
                   "MemoryDenyWriteExecute", "UMask", "ProtectSystem", "ProtectHome", "PrivateTmp", "PrivateMounts", "RemoveIPC",
                   "ProtectKernelTunables", "ProtectKernelModules", "ProtectKernelLogs", "ProtectControlGroups", "ProtectClock",
                   "ProtectHostname", "DevicePolicy", "DeviceAllow", "RestrictAddressFamilies", "SystemCallArchitectures",
                   "SystemCallFilter", "SystemCallErrorNumber"}
        assert {key for section, key in settings() if section == "Service"} <= checked
        return
    copy = tmp_path / UNIT.name
    copy.write_text(text)
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", copy], capture_output=True, text=True, timeout=PATIENCE)
    complaints = [line for line in done.stderr.splitlines() if UNIT.name in line]
    assert complaints == [], done.stderr
    copy.write_text(text.replace("NoNewPrivileges", "NoNewPrivilege"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", copy], capture_output=True, text=True, timeout=PATIENCE)
    assert "NoNewPrivilege" in done.stderr, "a line that nobody knows is found"
