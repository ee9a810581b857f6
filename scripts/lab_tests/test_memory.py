"""Memory kinds and working sets on a real kernel: what is there runs and says what it was, and what is not says why."""

import pytest

from hosts import Server

HUGE_PAGES = "/proc/sys/vm/nr_hugepages"
FILE = "/dev/shm/message_memory"


@pytest.fixture
def huge_pages(a, b):
    """Reserves so many on both hosts."""
    def reserve(count):
        for host in (a, b):
            host.shell(f"echo {count} > {HUGE_PAGES}")

    yield reserve
    reserve(0)


def refusal(host, server, *words):
    done = host.run("rdmabench", "write_bw", "a", "-p", server.port, "-n", "100", *words)
    return done.returncode, done.stderr


def test_huge_pages_that_are_not_reserved_are_asked_for_by_their_sysctl(b, server, huge_pages):
    huge_pages(0)
    code, stderr = refusal(b, server, "-s", "64K", "--memory", "huge2m")
    assert code == 3, stderr
    # 128 slots of 64 KiB.
    assert "4 huge pages of 2 MiB" in stderr
    assert "nr_hugepages" in stderr and ("sysctl vm.nr_hugepages=4" in stderr or "echo 4 > " in stderr)


def test_huge_pages_that_are_reserved_carry_the_messages(b, server, huge_pages):
    huge_pages(16)
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-s", "64K", "-n", "200", "--memory", "huge2m")
    assert code == 0, stderr
    memory = report["results"][0]["memory"]
    for side in ("client", "server"):
        assert memory[side] == {"kind": "huge2m", "registration": "by its virtual address", "page_bytes": 2 << 20}


def test_huge_pages_of_one_side_only(b, server, huge_pages):
    huge_pages(16)
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-s", "4K", "-n", "200", "--memory", "huge2m",
                                  "--remote-memory", "host")
    assert code == 0, stderr
    memory = report["results"][0]["memory"]
    assert (memory["client"]["kind"], memory["server"]["kind"]) == ("huge2m", "host")


@pytest.mark.parametrize("kind, text", [
    ("odp", "the device does not page on demand"),
    ("dm", "max_dm_size is 0"),
    ("udmabuf", "modprobe udmabuf"),
    ("dma_heap", "CONFIG_DMABUF_HEAPS"),
    ("cuda", "NVIDIA's driver"),
])
def test_a_kind_that_is_not_there_says_why(b, server, kind, text):
    code, stderr = refusal(b, server, "-s", "4K", "--memory", kind)
    assert code == 3, stderr
    assert text in stderr


def test_a_file_of_each_side_carries_the_messages(a, b):
    for host in (a, b):
        host.shell(f"fallocate -l 16M {FILE} || dd if=/dev/zero of={FILE} bs=1M count=16")
    try:
        with Server(a, "--memory", f"mmap={FILE}") as own:
            code, report, stderr = b.test("write_bw", "a", "-p", own.port, "-s", "64K", "-n", "200", "--verify", "--verify-seed", "1",
                                          "--memory", f"mmap={FILE}")
            assert code == 0, stderr
            memory = report["results"][0]["memory"]
            assert memory["client"]["kind"] == memory["server"]["kind"] == "mmap"
            # What arrived is in the file.
            assert a.shell(f"tr -d '\\000' < {FILE} | wc -c").strip() != "0"
    finally:
        for host in (a, b):
            host.shell(f"rm -f {FILE}")


def test_a_client_names_no_file_on_the_server(b, server):
    b.shell(f"dd if=/dev/zero of={FILE} bs=1M count=16")
    try:
        code, stderr = refusal(b, server, "-s", "4K", "--memory", f"mmap={FILE}")
    finally:
        b.shell(f"rm -f {FILE}")
    assert code == 3, stderr
    assert "the server was not told which file" in stderr and "--memory mmap=FILE" in stderr


@pytest.mark.parametrize("test, access", [
    ("write_bw", "sequential"), ("read_bw", "random"), ("send_bw", "same"),
    *(pytest.param(test, access, marks=pytest.mark.full) for test, access in [
        ("write_bw", "random"), ("write_bw", "same"), ("read_bw", "sequential"), ("read_bw", "same"),
        ("send_bw", "sequential"), ("send_bw", "random")]),
])
def test_a_working_set_is_gone_through(b, server, test, access):
    size = ["--working-set", "32M"] if access != "same" else []
    code, report, stderr = b.test(test, "a", "-p", server.port, "-s", "16K", "-n", "200", "--access", access, *size)
    assert code == 0, stderr
    effective = report["results"][0]["effective"]
    assert effective["access"] == access
    assert effective["working_set_bytes"] == (32 << 20 if size else 16384)
    assert effective["working_set_slots"] == (2048 if size else 1)


def test_each_queue_pair_has_a_key_and_messages_lie_where_they_were_asked_to(b, server):
    code, _, stderr = b.test("write_bw", "a", "-p", server.port, "-s", "1000", "-n", "200", "-q", "3", "--mr-per-qp", "--align", "4K",
                             "--offset", "12", "--verify")
    assert code == 0, stderr
