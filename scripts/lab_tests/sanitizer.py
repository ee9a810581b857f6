"""For lab tests with a program that AddressSanitizer and UBSan watch (--sanitizer): how it is started, and what they reported."""

FOLDER = "/tmp/sanitizer"
# Reports go to files, since a session's process has no stream of its own to tell them on, and whoever ends by one has an exit code
# that nothing else has. Little of what is freed is kept: a host has 1 GiB. Lines are named by binutils: hosts have no llvm-symbolizer.
_COMMON = f"log_path={FOLDER}/report:exitcode=77:print_stacktrace=1:allow_addr2line=1"
ENVIRONMENT = ("env", f"ASAN_OPTIONS={_COMMON}:quarantine_size_mb=8:malloc_context_size=12:detect_leaks=1", f"UBSAN_OPTIONS={_COMMON}")


def prepare(host):
    host.shell(f"mkdir -p -m 1777 {FOLDER}")


def take_reports(host):
    """What was reported on this host since the last call; empty when all is well."""
    return host.shell(f"for report in {FOLDER}/*; do [ -e $report ] && cat $report && rm $report; done; true")
