"""What is compared: one row for each test, and the two command lines that measure it with equal settings."""

import dataclasses
import fnmatch

HOST = "a"  # where both servers run; the clients run on the other one
MTU_BYTES = 1024  # what a link of 1500 bytes carries
# Above both programs' default of 14, with which a slow emulated host resends what is only late, and rdma_rxe then breaks
# the run off with status 9.
QP_TIMEOUT = 18
SETUP_COMMAND = ("-q", "1024", "-t", "16", "-n", "5", "-s", "64")

PERFTEST_PROGRAMS = {
    "write": ("ib_write", ()),
    "read": ("ib_read", ()),
    "send": ("ib_send", ()),
    "fetch_add": ("ib_atomic", ("-A", "FETCH_AND_ADD")),
    "cmp_swap": ("ib_atomic", ("-A", "CMP_AND_SWAP")),
}
ATOMIC = ("fetch_add", "cmp_swap")
SENDS_PAYLOAD = ("write", "send")  # where inline data is possible, and where a latency is half a round trip


@dataclasses.dataclass(frozen=True)
class Row:
    op: str
    metric: str  # "bw", "lat", or "setup": the wall time of a run that does little but connect
    message_bytes: int
    queue_pairs: int
    iterations: int  # of a queue pair; about a second or two between two emulated hosts
    depth: int | None = None
    cq_mod: int | None = None
    outstanding_reads: int | None = None
    steadier_when_prompt: bool = False

    @property
    def name(self) -> str:
        if self.metric == "setup":
            return f"setup-q{self.queue_pairs}"
        size = f"{self.op}_{self.metric}-{self.message_bytes}"
        return f"{size}-q{self.queue_pairs}" if self.metric == "bw" else size

    @property
    def higher_is_better(self) -> bool:
        return self.metric == "bw"

    @property
    def link(self) -> str:
        """The lab's: where packets are carried in turns, throughput varies by a few percent in place of some ten, but a
        latency is that of the turns. Large sends on several queue pairs vary more in turns, with their credits."""
        return "batched" if self.metric == "bw" and not self.steadier_when_prompt else "prompt"

    @property
    def latency_basis(self) -> str:
        return "half_round_trip" if self.op in SENDS_PAYLOAD else "round_trip"

    def ours(self, port: int | str) -> list[str]:
        if self.metric == "setup":
            patient = ["--warmup", "0", "--peer-timeout", "30s"]
            return ["rdmabench", "write_bw", HOST, *SETUP_COMMAND, *patient, "--json", "-", "--port", str(port)]
        # An emulated host may be silent for longer than the defaults allow; that is not what is compared.
        patient = ["--peer-timeout", "30s", "--stall-timeout", "60s"]
        command = ["rdmabench", f"{self.op}_{self.metric}", HOST, *self._shape(), "-I", "0"]
        return [*command, *patient, "--json", "-", "--port", str(port)]

    def theirs(self, port: int | str) -> list[str]:
        """perftest's command line, without the host that only the client is given."""
        if self.metric == "setup":
            return ["ib_write_bw", *SETUP_COMMAND, "-p", str(port)]
        program, options = PERFTEST_PROGRAMS[self.op]
        inline = ["-I", "0"] if self.op in SENDS_PAYLOAD else []
        # With its peak, perftest takes two time stamps a message, which rdmabench does not.
        no_peak = ["-N"] if self.metric == "bw" else []
        return [f"{program}_{self.metric}", *options, *self._shape(), *inline, *no_peak, "-p", str(port)]

    def _shape(self) -> list[str]:
        shape = [] if self.op in ATOMIC else ["-s", str(self.message_bytes)]
        shape += ["-n", str(self.iterations), "-m", str(MTU_BYTES), "-u", str(QP_TIMEOUT)]
        if self.metric == "bw":
            shape += ["-q", str(self.queue_pairs), "-t", str(self.depth), "-Q", str(self.cq_mod)]
        if self.outstanding_reads:
            shape += ["-o", str(self.outstanding_reads)]
        return shape


def rows() -> list[Row]:
    found = []
    for op in ("write", "read", "send"):
        # With much more under way on eight queue pairs, an emulated link's throughput differs by a factor of two from
        # one run to the next; answers of 64 KiB get lost in it, and what is then compared is how often each had to wait
        # for a retransmission timer of a second.
        few, one = (2, 1) if op == "read" else (None, None)
        found += [
            Row(op, "bw", 64, 1, 5120, 128, 32),
            Row(op, "bw", 64, 8, 2560, 16, 8),
            Row(op, "bw", 65536, 1, 320, 128, 1, few),
            Row(op, "bw", 65536, 8, 80, 4, 1, one, steadier_when_prompt=op == "send"),
        ]
    for op in ("write", "send", "read"):
        found += [Row(op, "lat", 2, 1, 2000), Row(op, "lat", 4096, 1, 2000)]
    for op in ATOMIC:
        found += [Row(op, "bw", 8, 1, 5120, 128, 32), Row(op, "lat", 8, 1, 2000)]
    return found


SETUP = Row("write", "setup", 64, 1024, 5, depth=16)


def chosen(pattern: str, with_setup: bool) -> list[Row]:
    candidates = [*rows(), SETUP] if with_setup else rows()
    return [row for row in candidates if fnmatch.fnmatchcase(row.name, pattern)]
