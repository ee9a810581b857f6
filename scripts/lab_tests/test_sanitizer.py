"""That a pass with sanitizers would see what it is for: the program is watched, and a planted fault is reported."""

import pathlib
import re
import subprocess

import pytest

import sanitizer

pytestmark = pytest.mark.sanitizer(only=True)

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
OVERFLOW = "int main(int argc, char**) { char* bytes = new char[4]; bytes[argc + 3] = 1; delete[] bytes; }"
LEAK = "#include <cstdlib>\nvoid* volatile bytes; int main() { bytes = std::malloc(77); bytes = std::malloc(1); }"
WRAP = "int main(int argc, char**) { volatile int most = 0x7fffffff; most = most + argc; }"
PLANTED = {"overflow": (OVERFLOW, "heap-buffer-overflow"), "leak": (LEAK, "77 byte(s)"), "wrap": (WRAP, "signed integer overflow")}


def flags():
    """How bazel's configuration asan compiles and links, which made the program as well."""
    lines = re.findall("^build:asan .*", (REPOSITORY / ".bazelrc").read_text(), re.MULTILINE)
    return re.findall(r"--(?:copt|linkopt)=(-\S+)", "\n".join(lines))


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_reported(a, tmp_path, name):
    source, words = PLANTED[name]
    program = tmp_path / name
    subprocess.run(["clang++", *flags(), "-x", "c++", "-", "-o", program], input=source, text=True, check=True)
    a.put(program, f"/tmp/{name}")
    assert a.run(f"/tmp/{name}").returncode == 77
    assert words in sanitizer.take_reports(a)


def test_the_program_in_the_hosts_is_watched(a, b):
    for host in (a, b):
        done = host.run("env", "ASAN_OPTIONS=help=1", "rdmabench", "--version")
        assert "AddressSanitizer" in done.stdout + done.stderr
