"""How often and until when is measured, and what two directions share, between two hosts over rdma_rxe."""

import statistics

import pytest


@pytest.mark.full
def test_six_runs_have_a_median_and_an_interval(b, server):
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-s", "64,4K", "-D", "300ms", "--runs", "6")
    assert code == 0, stderr
    results = report["results"]
    assert [(result["run"], result["message_bytes"]) for result in results] == [
        (run, size) for run in range(1, 7) for size in (64, 4096)]
    assert len(report["repetitions"]) == 2
    for repetition in report["repetitions"]:
        rates = sorted(results[index]["bandwidth"]["bytes_per_second"] for index in repetition["results"])
        assert all(results[index]["message_bytes"] == repetition["message_bytes"] for index in repetition["results"])
        assert repetition["runs"] == len(rates) == 6
        assert repetition["median"] == pytest.approx(statistics.median(rates))
        assert (repetition["median_low"], repetition["median_high"]) == pytest.approx((rates[0], rates[-1]))
        assert repetition["coverage"] == 0.96875


def test_a_run_ends_when_its_mean_is_known(b, server):
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-s", "64", "--until", "ci=5%", "--max-time", "20s")
    assert code == 0, stderr
    result = report["results"][0]
    until, bandwidth = result["until"], result["bandwidth"]
    assert until["max_seconds"] == 20 and until["ci_percent"] == 5
    assert result["window_seconds"] < 25
    checks = {check["name"]: check["ok"] for check in result["checks"]}
    assert checks["interval_is_narrow"] == until["reached"]
    if until["reached"]:
        assert until["half_width_percent"] <= 5
        half = (bandwidth["ci95_high_bytes_per_second"] - bandwidth["ci95_low_bytes_per_second"]) / 2
        assert half / bandwidth["bytes_per_second"] < 0.06  # the window went on for a moment
    else:
        assert result["window_seconds"] >= 19.9
        assert "interval_is_narrow" in stderr


def test_a_mean_that_is_not_known_in_time_fails_when_strict(b, server):
    code, report, stderr = b.test("send_lat", "a", "-p", server.port, "--until", "ci=0.0001%", "--max-time", "1500ms", "--strict")
    assert code == 4, stderr
    assert not report["results"][0]["until"]["reached"]
    assert "interval_is_narrow" in stderr


@pytest.mark.parametrize("test, options", [
    ("write_bw", []), pytest.param("send_bw", [], marks=pytest.mark.full),
    pytest.param("send_bw", ["-c", "ud"], marks=pytest.mark.full)])
def test_two_directions_are_summed_over_the_window_that_they_share(b, server, test, options):
    code, report, stderr = b.test(test, "a", "-p", server.port, "-s", "512", "-b", "-D", "3", *options)
    assert code == 0, stderr
    result = report["results"][0]
    shared, offset = result["shared_window"], result["clock_offset"]
    assert 0 < offset["error_seconds"] < 0.05
    assert shared["used"] and shared["share"] > 0.8
    assert result["window_seconds"] == pytest.approx(shared["seconds"])
    assert 0 < result["messages"] <= sum(direction["sent"]["messages"] for direction in result["traffic"])
    assert result["bandwidth"]["bytes_per_second"] == pytest.approx(result["bytes"] / result["window_seconds"], rel=1e-6)
    assert {check["name"]: check["ok"] for check in result["checks"]}["directions_overlap"] == (shared["share"] >= 0.9)


def test_a_warm_up_says_how_long_it_was_and_whether_it_got_steady(b, server):
    code, report, stderr = b.test("write_bw", "a", "-p", server.port, "-s", "64", "-D", "500ms", "--warmup", "300ms", "--warmup-max", "2s")
    assert code == 0, stderr
    effective = report["results"][0]["effective"]
    assert 0.29 <= effective["warmup_seconds"] < 5
    assert effective["warmup_messages"] > 0
    assert isinstance(effective["warmup_steady"], bool)
