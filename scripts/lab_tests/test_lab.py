"""What people and scripts rely on in `scripts/lab exec`."""

import os
import pty
import select
import subprocess
import time

from hosts import LAB


def read_until(terminal, words, timeout):
    """What is shown until these words are, or the other end is closed."""
    shown = b""
    deadline = time.monotonic() + timeout
    while words not in shown:
        ready, _, _ = select.select([terminal], [], [], max(0, deadline - time.monotonic()))
        assert ready, shown
        try:
            shown += os.read(terminal, 65536)
        except OSError:  # how a terminal says that nobody has its other end open
            break
    return shown


def test_ctrl_c_on_a_terminal_reaches_the_command(b, server):
    terminal, streams = pty.openpty()
    command = b.command("rdmabench", "write_bw", "a", "-p", server.port, "-s", "4K", "--run-infinitely")
    process = subprocess.Popen(command, stdin=streams, stdout=streams, stderr=streams)
    os.close(streams)
    try:
        read_until(terminal, b"Gb/s", 40)
        os.write(terminal, b"\x03")
        assert b"window s" in read_until(terminal, b"window s", 20), "there is no result"
        assert process.wait(timeout=20) == 0, "the run did not end as a user's Ctrl-C ends it"
    finally:
        process.kill()
        os.close(terminal)


def test_without_a_terminal_the_two_output_streams_stay_apart(b):
    done = b.run("sh", "-c", "echo out; echo err >&2; tty", check=False)
    assert done.stdout == "out\nnot a tty\n" and done.stderr == "err\n"


def test_a_pulled_cable_is_a_port_that_is_down_until_it_is_put_back(a, b):
    port = "cat /sys/class/net/eth1/carrier /sys/class/infiniband/rxe0/ports/1/state"
    b.unplug()
    try:
        b.await_port("1: DOWN")
        assert b.shell(port).split() == ["0", "1:", "DOWN"]
        assert a.shell(port).split() == ["1", "4:", "ACTIVE"], "the other one has a cable of its own"
        assert b.run("busybox", "ping", "-c", "1", "-W", "1", "a").returncode != 0
    finally:
        b.plug(a)
    assert b.shell(port).split() == ["1", "4:", "ACTIVE"]
    nowhere = subprocess.run([LAB, "unplug", "b", "--rail", "4"], capture_output=True, text=True, timeout=20)
    assert nowhere.returncode == 1 and nowhere.stderr == "lab: there is no rail 4; the lab has 1\n"
