"""Whether each target finds a bug that it ought to find: one of the product's own, planted in a copy of the tree."""

import pathlib
import shutil
import subprocess
import tempfile

import target as targets_of


def patch_of(tree, target):
    return tree / "scripts" / "fuzz.d" / "planted" / f"{target.name}.patch"


def apply(copy, patch, *options):
    subprocess.run(["git", "apply", *options, patch], cwd=copy, check=True)


def copy_of(tree, into):
    """The files that git knows, or would add."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=tree, check=True, stdout=subprocess.PIPE)
    for name in filter(None, listed.stdout.decode().split("\0")):
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        if (tree / name).is_file():
            shutil.copy2(tree / name, into / name)


def finds(tree, copy, target, seconds):
    """Prints a line; True when the target finds the bug by itself: its corpus does not have it."""
    binaries = targets_of.build(copy, [target])
    if binaries is None:
        print(f"FAIL  {target.name}: with its planted bug it does not build")
        return False
    replayed = targets_of.fuzz(binaries[target], "-runs=0", target.corpus(tree))
    if replayed.returncode != 0:
        print(f"FAIL  {target.name}: the corpus itself has the planted bug: {targets_of.words_of(replayed.stdout)}")
        return False
    with tempfile.TemporaryDirectory(prefix="rdmabench-finds.") as folder:
        outcome = targets_of.run(tree, target, binaries[target], seconds, pathlib.Path(folder))
    if not outcome.failed:
        print(f"FAIL  {target.name}: it does not find its planted bug in {outcome.runs} runs, {seconds} s", flush=True)
    else:
        print(f"ok    {target.name}: finds its planted bug: {outcome.words}", flush=True)
    return outcome.failed


def try_all(tree, targets, seconds):
    """How many of them do not find theirs."""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="rdmabench-planted.") as folder:
        copy = pathlib.Path(folder)
        copy_of(tree, copy)
        try:
            for target in targets:
                apply(copy, patch_of(tree, target))
                failed += not finds(tree, copy, target, seconds)
                apply(copy, patch_of(tree, target), "-R")
        finally:
            targets_of.bazel(copy, "clean", "--expunge")
    return failed
