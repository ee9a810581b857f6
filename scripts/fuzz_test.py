"""scripts/fuzz without a compiler: targets that stand in for libFuzzer's, and the planted bugs, which have to fit the tree."""

import pathlib
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parent
TREE = SCRIPTS.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS / "fuzz.d"))

import planted  # noqa: E402
import target  # noqa: E402

TARGETS = target.all_targets(TREE)


@pytest.fixture(params=TARGETS, ids=lambda one: one.name)
def one(request):
    return request.param


def test_what_has_to_be_fuzzed_is():
    assert {"frame", "hello", "peer_info", "plan", "suite"} <= {found.name for found in TARGETS}


def test_a_target_has_a_corpus_and_is_built(one):
    assert list(one.corpus(TREE).iterdir())
    assert f'fuzz_target(\n    name = "{one.name}",' in (TREE / one.package / "BUILD.bazel").read_text()


def test_a_planted_bug_fits_the_tree_and_is_the_products(one):
    patch = planted.patch_of(TREE, one)
    subprocess.run(["git", "apply", "--check", patch], cwd=TREE, check=True)
    changed = subprocess.run(["git", "apply", "--numstat", patch], cwd=TREE, check=True, stdout=subprocess.PIPE, text=True).stdout
    assert [line for line in changed.splitlines() if "_fuzz" not in line and "_test" not in line and line.endswith((".cc", ".h"))]


# Says what libFuzzer would, and adds to its corpus, which comes last; an input that broke something is `find`'s to leave behind.
STAND_IN = """#!/bin/sh
for argument; do case $argument in
  -artifact_prefix=*) {find} ;;
  -print_coverage=1) echo 'COVERED_FUNC: hits: 2 edges: 3/4 rdmabench::Feed() /proc/self/cwd/transport/frame.cc:93'
    echo 'COVERED_FUNC: hits: 2 edges: 5/5 nlohmann::parse() /usr/include/nlohmann/json.hpp:20'
    echo 'COVERED_FUNC: hits: 2 edges: 2/2 LLVMFuzzerTestOneInput transport/frame_fuzz.cc:80'
    echo 'UNCOVERED_FUNC: hits: 0 edges: 0/6 rdmabench::EncodeFrame() ./transport/frame.cc:53'
    echo 'UNCOVERED_FUNC: hits: 0 edges: 0/9 rdmabench::NearestNames() ./transport/nearest.cc:46'
    exit 0 ;;
esac; done
echo new >"$argument/new"
echo 'stat::number_of_executed_units: 1234'
exit {status}
"""


def stand_in(folder, find=":", status=0):
    program = folder / "stand_in"
    program.write_text(STAND_IN.format(find=find, status=status))
    program.chmod(0o755)
    return program


def run(tmp_path, **how):
    finds = tmp_path / "finds"
    finds.mkdir()
    frame = next(found for found in TARGETS if found.name == "frame")
    return target.run(TREE, frame, stand_in(tmp_path, **how), 1, finds), finds


def test_a_run_without_a_find_says_how_far_it_got(tmp_path):
    outcome, finds = run(tmp_path)
    assert not outcome.failed
    assert outcome.line() == "ok    frame: 1234 runs, edges 3 of 10 in the 1 of the product's files that it reaches, no find"
    assert not list(finds.iterdir())


def test_what_broke_something_stays(tmp_path):
    outcome, finds = run(tmp_path, find="echo bad >${argument#*=}crash-1; echo 'runtime error: 3e+09 is outside the range'", status=77)
    assert outcome.failed and outcome.line().startswith("FAIL  frame: ")
    assert "runtime error: 3e+09" in outcome.line()
    assert {path.name for path in finds.iterdir()} == {"frame-crash-1", "frame.log"}


def test_a_target_that_ends_otherwise_is_a_find_too(tmp_path):
    assert run(tmp_path, status=1)[0].failed


def test_the_corpus_of_the_tree_stays_as_it_is(tmp_path):
    outcome, _ = run(tmp_path)
    assert not (outcome.target.corpus(TREE) / "new").exists()


def test_the_help_names_what_there_is():
    asked = subprocess.run([SCRIPTS / "fuzz", "--help"], check=True, stdout=subprocess.PIPE, text=True)
    assert "--planted" in asked.stdout
