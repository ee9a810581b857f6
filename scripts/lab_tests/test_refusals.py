"""Bad input and machines that cannot: one or two lines that say what was given, what is allowed and what to do; and the exit code."""

import json
import pathlib
import struct
import subprocess

import pytest

from hosts import REPOSITORY, first_line, without_warnings

pytestmark = pytest.mark.sanitizer


def refused(host, *words, timeout=60):
    done = host.run("rdmabench", *words, timeout=timeout)
    assert len(without_warnings(done.stderr).splitlines()) <= 2, done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize("words, code, texts", [
    (["write_b", "a"], 2, ["write_b", "write_bw"]),
    (["write_bw", "a", "-s", "0"], 2, ["--size '0'", "1 to"]),
    (["write_bw", "a", "-s", "64x"], 2, ["--size '64x'", "K, M, G"]),
    (["write_bw", "a", "-p", "99999"], 2, ["99999", "65535"]),
    (["write_bw", "a", "-q", "0"], 2, ["--qp '0'", "1 to 16384"]),
    (["write_bw", "a", "-m", "1000"], 2, ["1000", "1024", "4096"]),
    (["write_bw", "no-such-host.invalid"], 1, ["no-such-host.invalid", "resolve"]),
    (["write_bw", "a", "-p", "1", "--connect-timeout", "5"], 1, ["nobody listens", "rdmabench server"]),
    (["write_bw", "a", "--json", "/no/such/folder/x.json"], 3, ["/no/such/folder/x.json", "No such file"]),
    (["write_bw", "a", "--json", "/proc/x.json"], 3, ["/proc/x.json"]),
], ids=lambda value: "_".join(value) if isinstance(value, list) else "")
def test_before_anything_is_connected(b, words, code, texts):
    found, stderr = refused(b, *words)
    assert found == code, stderr
    for text in texts:
        assert text in stderr


@pytest.mark.parametrize("words, code, texts", [
    (["-m", "4096"], 3, ["4096", "1024"]),
    (["-x", "99"], 3, ["99", "::ffff:192.168.77.2"]),
    (["-d", "mlx5_0"], 3, ["mlx5_0", "rxe0"]),
    (["-i", "2"], 3, ["2", "rxe0"]),
    (["-t", "32768", "-q", "2"], 3, ["32768"]),
    (["-I", "4096"], 3, ["4096"]),
], ids=lambda value: "_".join(value) if isinstance(value, list) else "")
def test_what_the_devices_cannot(b, server, words, code, texts):
    found, stderr = refused(b, "write_bw", "a", "-p", server.port, *words)
    assert found == code, stderr
    for text in texts:
        assert text in stderr


@pytest.mark.parametrize("words, code, texts", [
    (["-d", "rxe0,rxe0"], 2, ["--ib-dev rxe0,rxe0 names rxe0 twice"]),
    (["-d", "rxe0,eth1", "-i", "1"], 2, ["names rxe0 port 1 twice"]),
    (["--memory", "mmap=/nope"], 3, ["cannot open '/nope' to map it: No such file", "fallocate"]),
    (["--memory", "mmap=/tmp"], 3, ["'/tmp' is a folder"]),
], ids=lambda value: "_".join(value) if isinstance(value, list) else "")
def test_a_server_that_no_client_could_use_does_not_start(b, words, code, texts):
    found, stderr = refused(b, "server", "--port", "0", *words, timeout=20)
    assert found == code, stderr
    for text in texts:
        assert text in stderr


def test_there_is_a_report_once_the_options_are_accepted(b, server):
    """Also of a refusal with exit code 2, which only both ends' devices have shown."""
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-d", "rxe0,eth1")
    assert code == 2 and report["status"] == "failed", stderr
    assert "names rxe0 port 1 twice" in report["error"]["message"]
    done = b.run("rdmabench", "write_bw", "a", "-s", "0", "--json", "-")
    assert done.returncode == 2 and done.stdout == ""


def test_a_size_in_lower_case_is_a_size(b, server):
    code, report, _ = b.test("write_bw", "a", "-p", server.port, "-s", "64k", "-n", "10")
    assert code == 0 and report["results"][0]["message_bytes"] == 65536


def test_a_port_that_is_down(b):
    b.shell("ip link set eth1 down")
    try:
        server_here = b.start("rdmabench", "server", "--port", "0", "--once")
        port = first_line(server_here, 30).split()[-1]
        code, stderr = refused(b, "write_bw", "127.0.0.1", "-p", port, "-d", "rxe0")
        server_here.communicate(timeout=20)
        assert code == 3, stderr
        assert "down" in stderr and "rxe0" in stderr
    finally:
        b.shell("ip link set eth1 up; ip -6 addr add fd77::2/64 dev eth1 2>/dev/null; sleep 1", check=False)


def test_no_rdma_device_at_all():
    """This machine itself has none, or the test has nothing to say."""
    if any(pathlib.Path("/sys/class/infiniband").glob("*")):
        pytest.skip("this machine has an RDMA device")
    binary = REPOSITORY / "bazel-bin" / "cmd" / "rdmabench"
    for words in (["devices"], ["devices", "--json"]):
        done = subprocess.run([binary, *words], capture_output=True, text=True, timeout=20)
        assert done.returncode == 3
        assert "no RDMA device" in done.stderr and "rdma link add" in done.stderr


TALK = r"""
import socket, struct, sys
s = socket.create_connection(("a", int(sys.argv[1])), 10)
s.sendall(bytes.fromhex(sys.argv[2]))
s.settimeout(10)
data = b""
try:
    while True:
        more = s.recv(65536)
        if not more: break
        data += more
except OSError as error:
    data += str(error).encode()
sys.stdout.buffer.write(data)
"""


def talk(host, port, data):
    return host.run("/usr/bin/python3", "-c", TALK, port, data.hex(), errors="replace").stdout


def frame(body):
    text = json.dumps(body).encode()
    return struct.pack(">I", len(text)) + text


def test_a_peer_of_another_protocol_version_is_told_both(b, server):
    server.forget_lines()
    hello = frame({"hello": {"protocol": 99, "tool_version": "9.9.9", "nonce": "0" * 32, "request": "run"}})
    answer = talk(b, server.port, hello)
    line, _ = server.wait_for_line("99", 10)
    for text in (answer, line):
        assert "99" in text and "9.9.9" in text and "protocol 6" in text.replace("version ", "")


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"\xff" * 64, frame([1, 2]), frame({"plan": {}}),
                                  struct.pack(">I", 7) + b"no json"], ids=["http", "ones", "list", "plan", "text"])
def test_bytes_of_another_protocol_are_logged_and_answered(b, server, data):
    server.forget_lines()
    assert "error" in talk(b, server.port, data)
    server.wait_for_line("192.168.77.2", 10)
    assert server.alive()
