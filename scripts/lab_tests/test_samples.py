"""Latency between two hosts, seen twice: by the report, and by numpy from the single samples behind it."""

import base64

import numpy
import pytest

from hosts import parse_report

COUNT = 1500


def blocks_of(words):
    """The samples of each result, as docs/method.md has the form."""
    blocks = []
    while len(words):
        mark, result, _, measured, kept = words[:5]
        assert mark.tobytes() == b"RDMBLAT1" and result == len(blocks) and measured == kept
        blocks.append(words[5:5 + int(kept)])
        words = words[5 + int(kept):]
    return blocks


def check(latency, samples):
    assert latency["samples"] == latency["kept_samples"] == len(samples)
    rounding = 0.51  # of a sample, to a nanosecond
    assert latency["max_ns"] == pytest.approx(samples.max(), abs=rounding)
    assert latency["mean_ns"] == pytest.approx(samples.mean(), abs=rounding)
    assert latency["stdev_ns"] == pytest.approx(samples.std(ddof=1), abs=2 * rounding)
    assert [one["percent"] for one in latency["percentiles"]] == [25, 50, 99]
    for one in latency["percentiles"]:
        exact = numpy.percentile(samples, one["percent"], method="inverted_cdf")
        assert one["ns"] == pytest.approx(exact, rel=1e-3, abs=rounding)
        assert one["ci95_low_ns"] <= one["ns"] <= one["ci95_high_ns"]


@pytest.mark.parametrize("test, options", [
    ("send_lat", []), pytest.param("read_lat", ["--reversed"], marks=pytest.mark.full),
    pytest.param("write_lat", ["-q", "2", "--threads", "2"], marks=pytest.mark.full)],
                         ids=["send", "read_reversed", "write_by_two"])
def test_report_and_samples_agree(b, server, test, options):
    done = b.run("rdmabench", test, "a", "-p", server.port, "-s", "2,64", "-n", COUNT, "--percentiles", "25,50,99,99.99",
                 "--samples", "/tmp/samples.bin", "--json", "-", *options, timeout=120)
    report = parse_report(done.stdout)
    assert done.returncode == 0, done.stderr
    words = numpy.frombuffer(base64.b64decode(b.shell("base64 /tmp/samples.bin")), "<u8")
    blocks = blocks_of(words)
    assert len(blocks) == len(report["results"]) == 2
    for result, samples in zip(report["results"], blocks):
        check(result["latency"], samples.astype(float))


def test_samples_may_be_csv(b, server):
    b.run("rdmabench", "send_lat", "a", "-p", server.port, "-n", "100", "--samples", "/tmp/samples.csv", check=True)
    head, *lines = b.shell("cat /tmp/samples.csv").splitlines()
    assert head == "result,message_bytes,ns"
    assert len(lines) == 100 and all(line.startswith("0,2,") for line in lines)


def test_a_file_that_cannot_be_written_is_told_before_the_run(b):
    done = b.run("rdmabench", "send_lat", "nobody", "--samples", "/no/such/folder/samples.bin")
    assert done.returncode == 3
    assert "cannot write the samples to '/no/such/folder/samples.bin'" in done.stderr
