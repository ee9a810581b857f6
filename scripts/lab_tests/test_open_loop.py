"""Open loops: latency at a rate that is kept up with, and at one that is not."""

import pytest


def long(*options):
    return pytest.param(list(options), marks=pytest.mark.full)


@pytest.mark.parametrize("options", [
    ["write_lat"], long("write_lat", "-c", "uc"), long("send_lat"), long("send_lat", "-c", "ud"), long("send_imm_lat", "-c", "uc"),
    long("read_lat"), long("fetch_add_lat"), long("write_lat", "--arrival", "poisson", "-q", "2"),
], ids="_".join)
def test_a_modest_rate_is_achieved_and_times_count_from_the_plan(b, server, options):
    code, report, stderr = b.test(*options, "a", "-p", server.port, "--rate", "100pps", "-D", "4")
    assert code == 0, stderr
    result = report["results"][0]
    open_loop = result["open_loop"]
    assert not open_loop["saturated"], open_loop
    assert "latency" not in result
    at_random = "poisson" in options
    assert open_loop["achieved_messages_per_second"] == pytest.approx(
        open_loop["offered_messages_per_second"], rel=0.03 if at_random else 0.01)
    assert open_loop["offered_messages_per_second"] == pytest.approx(100, rel=0.2 if at_random else 1e-3)
    response, service = open_loop["response"], open_loop["service"]
    assert response["basis"] == service["basis"] == "round_trip"
    assert response["samples"] == service["samples"] == result["messages"]
    for key in ("min_ns", "mean_ns", "max_ns"):
        assert response[key] >= service[key], key
    for one, other in zip(response["percentiles"], service["percentiles"], strict=True):
        assert one["percent"] == other["percent"] and one["ns"] >= other["ns"]


@pytest.mark.parametrize("options", [["write_lat"], long("send_lat", "-c", "ud"), long("read_lat")], ids="_".join)
def test_an_impossible_rate_is_said_to_be_saturated(b, server, options):
    code, report, stderr = b.test(*options, "a", "-p", server.port, "--rate", "1Mpps", "-D", "2")
    assert code == 0, stderr
    open_loop = report["results"][0]["open_loop"]
    assert open_loop["saturated"]
    assert open_loop["achieved_messages_per_second"] < 0.99 * open_loop["offered_messages_per_second"]
    assert open_loop["backlog_end"] > 0
    assert "percentiles" not in open_loop["response"]
    text = b.run("rdmabench", *options, "a", "-p", server.port, "--rate", "1Mpps", "-D", "1", check=True).stdout
    assert "SATURATED" in text


def test_an_objective_is_answered_between_its_bounds(b, server):
    code, report, stderr = b.test("send_lat", "a", "-p", server.port, "--rate-sweep", "50pps,1Mpps", "--slo", "p50=1s", "-D", "2")
    assert code == 0, stderr
    assert [result["open_loop"]["saturated"] for result in report["results"]] == [False, True]
    assert report["slo"][0]["highest_held_messages_per_second"] == 50
    assert report["slo"][0]["lowest_failed_messages_per_second"] == 1_000_000
