"""One fuzz target: where it stands, how it is built and run, and what its run says."""

import collections
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

# What an input may cost: reading it, and rendering what was read. Above it is a find.
LIMITS = ["-timeout=10", "-rss_limit_mb=1024", "-malloc_limit_mb=256", "-max_len=16384"]
PRODUCT = re.compile(r"((?:transport|bench|report)/(?!\w+_fuzz\.|fuzz_)\w+\.(?:cc|h)):\d+$")
FUNCTION = re.compile(r"COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) ")
RUNS = re.compile(r"stat::number_of_executed_units: (\d+)|^Done (\d+) runs", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    package: str

    @property
    def label(self):
        return f"//{self.package}:{self.name}_fuzz"

    def corpus(self, tree):
        return tree / self.package / "testdata" / "corpus" / self.name


@dataclasses.dataclass
class Outcome:
    target: Target
    failed: bool
    runs: int
    files: dict  # of the product, those that were reached: (edges taken, edges)
    finds: list
    words: str  # of a find: what broke

    def line(self):
        taken, edges = (sum(of) for of in zip(*self.files.values())) if self.files else (0, 0)
        found = f"{len(self.finds)} finds: {self.words}" if self.failed else "no find"
        where = f"edges {taken} of {edges} in the {len(self.files)} of the product's files that it reaches"
        return f"{'FAIL' if self.failed else 'ok':4}  {self.target.name}: {self.runs} runs, {where}, {found}"

    def file_lines(self):
        return [f"      {path}: {taken} of {edges}" for path, (taken, edges) in sorted(self.files.items())]


def all_targets(tree):
    """Of each NAME_fuzz.cc, which fuzz_target() in the BUILD file beside it makes a program of."""
    return [Target(path.name.removesuffix("_fuzz.cc"), path.parent.name) for path in sorted(tree.glob("*/*_fuzz.cc"))]


def bazel(tree, *arguments, **keywords):
    return subprocess.run(["bazel", *arguments], cwd=tree, text=True, check=False, **keywords)


def build(tree, targets):
    """The programs' paths by target; None when it failed, and why has been printed then."""
    built = bazel(tree, "build", "--config=fuzz", "--noshow_progress", *(one.label for one in targets))
    if built.returncode != 0:
        return None
    where = bazel(tree, "info", "--config=fuzz", "bazel-bin", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    folder = pathlib.Path(where.stdout.strip())
    return {one: folder / one.package / f"{one.name}_fuzz" for one in targets}


def fuzz(binary, *arguments):
    """Runs libFuzzer; what it says. Symbols come from binutils, which are there with every compiler."""
    options = "external_symbolizer_path=/usr/bin/addr2line:allow_addr2line=1:detect_leaks=1"
    environment = {**os.environ, "ASAN_OPTIONS": options, "UBSAN_OPTIONS": "print_stacktrace=1"}
    return subprocess.run([binary, *LIMITS, *map(str, arguments)], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)


def run(tree, target, binary, seconds, finds, keep=False):
    """Fuzzes in a copy of the corpus; what broke something stays in `finds`, made as small as it gets in a few seconds."""
    with tempfile.TemporaryDirectory(prefix="rdmabench-fuzz.") as folder:
        corpus = pathlib.Path(folder) / target.name
        shutil.copytree(target.corpus(tree), corpus)
        prefix = f"-artifact_prefix={finds}/{target.name}-"
        ran = fuzz(binary, f"-max_total_time={seconds}", "-print_final_stats=1", prefix, corpus)
        found = sorted(finds.glob(f"{target.name}-*"))
        failed = ran.returncode != 0 or bool(found)
        if failed:
            (finds / f"{target.name}.log").write_text(ran.stdout)
            for path in found:
                fuzz(binary, "-minimize_crash=1", "-max_total_time=5", f"-exact_artifact_path={path}.small", path)
        # A run that broke off does not tell its coverage.
        seen = fuzz(binary, "-runs=0", "-print_coverage=1", corpus)
        if keep and not failed:
            fuzz(binary, "-merge=1", target.corpus(tree), corpus)
        return Outcome(target, failed, runs_of(ran.stdout), coverage(seen.stdout), found, words_of(ran.stdout) if failed else "")


def runs_of(text):
    counts = [int(first or second) for first, second in RUNS.findall(text)]
    return max(counts, default=0)


def coverage(text):
    """Of what -print_coverage says: of each of the product's files that was reached the edges taken, and all of them."""
    files = collections.defaultdict(lambda: [0, 0])
    for line in text.splitlines():
        function, place = FUNCTION.search(line), PRODUCT.search(line)
        if not function or not place:
            continue
        files[place[1]][0] += int(function[1])
        files[place[1]][1] += int(function[2])
    return {path: tuple(edges) for path, edges in files.items() if edges[0] > 0}


def words_of(text):
    """The line that says what broke."""
    for sign in ("broken promise:", "ERROR: AddressSanitizer", "runtime error:", "ERROR: libFuzzer", "ERROR: LeakSanitizer", "what():"):
        for line in text.splitlines():
            if sign in line:
                return line.strip()[:200]
    return (text.strip().splitlines() or ["it said nothing"])[-1][:200]
