"""Operations, queue pair types and shapes between two hosts over rdma_rxe, run from suite files; every case is checked alike."""

import pathlib

import pytest

SUITES = pathlib.Path(__file__).parent / "matrix"
COVER = pathlib.Path(__file__).parent / "cover.json"

# What the completions of an op say at its initiator, and at its receiver where receive requests are used.
SENT = {"write": "rdma_write", "write_imm": "rdma_write", "read": "rdma_read", "send": "send", "send_imm": "send",
        "fetch_add": "fetch_add", "cmp_swap": "comp_swap"}
RECEIVED = {"write_imm": "recv_rdma_with_imm", "send": "recv", "send_imm": "recv"}
ROUND_TRIP = {"read", "fetch_add", "cmp_swap"}
LOSSY = {"uc", "ud"}


def run_suite(b, server, text, timeout):
    b.run("sh", "-c", "cat > /tmp/suite.json", input=text, check=True)
    return b.test("run", "/tmp/suite.json", "a", "-p", server.port, timeout=timeout)


def check_direction(result, direction, expected):
    """Both ends' accounts of one direction."""
    op, lossy = result["op"], result["qp_type"] in LOSSY
    sent = direction["sent"]
    assert sent["completion_opcode"] == SENT[op]
    if result["metric"] == "bw" or not lossy:
        assert sent["messages"] == expected
        assert sent["bytes"] == expected * result["message_bytes"]
    if op not in RECEIVED:
        assert "received" not in direction
        return
    received = direction["received"]
    assert received["completion_opcode"] == RECEIVED[op]
    assert received["bytes"] == received["messages"] * result["message_bytes"]
    if lossy:
        assert 0 < received["messages"] <= expected
    else:
        assert received["messages"] == expected
        if "messages_per_queue_pair" in received:
            assert received["messages_per_queue_pair"] == sent["messages_per_queue_pair"]


def check_checks(result):
    """All that can be expected of an emulated host, which is at times so slow that a message is sent again."""
    checks = {check["name"]: check["ok"] for check in result["checks"]}
    # So few messages are under way for so short a time that two sides need not do it together.
    chance = {"no_errors_counted", "directions_overlap"}
    failed = [check for check in result["checks"] if not check["ok"] and check["name"] not in chance]
    assert not failed
    assert {"queue_pairs_add_up", "completions_name_the_op", "no_errors_counted"} <= checks.keys()
    assert ("received_as_sent" in checks) == (result["op"] in RECEIVED)
    assert ("ports_count_the_packets" in checks) == (not result["bidirectional"])
    assert ("samples_are_messages" in checks) == (result["metric"] == "lat")
    assert ("directions_overlap" in checks) == result["bidirectional"]


def check_result(report, result):
    plan = report["plan"]["tests"][result["plan_index"]]
    queue, effective = plan["queue"], result["effective"]
    assert result["complete"] and result["messages"] > 0 and result["window_seconds"] > 0
    assert (result["test"], result["qp_type"]) == (plan["test"], queue["qp_type"])
    assert (result["queue_pairs"], result["threads"]) == (queue["queue_pairs"], queue["threads"])
    assert result["bidirectional"] == queue["bidirectional"]
    assert (result["from"], result["to"]) == ((1, 0) if queue["reversed"] else (0, 1))
    for key in ("post_list", "send_depth", "signal_every", "recv_depth", "recv_post_list", "read_depth"):
        if key in queue and not (key == "post_list" and result["metric"] == "lat"):
            assert effective[key] == queue[key], key
    if queue.get("inline_bytes") == 0 or result["op"] in ROUND_TRIP:
        assert not effective["inline_used"]
    elif result["message_bytes"] <= 64:
        assert effective["inline_used"]
    check_checks(result)
    assert len(result["traffic"]) == (2 if queue["bidirectional"] else 1)
    expected = effective["iterations_per_queue_pair"] * queue["queue_pairs"]
    for direction in result["traffic"]:
        check_direction(result, direction, expected)
    if result["metric"] == "lat":
        latency = result["latency"]
        assert latency["basis"] == ("round_trip" if result["op"] in ROUND_TRIP else "half_round_trip")
        assert latency["samples"] + latency["lost_replies"] == expected
        assert sum(count for _, _, count in latency["histogram"]) == latency["samples"]
        figures = [latency["min_ns"], *(percentile["ns"] for percentile in latency["percentiles"]), latency["max_ns"]]
        assert figures[0] > 0 and figures == sorted(figures)
        assert not effective["relaxed_ordering"] or result["op"] != "write"
    else:
        assert result["bandwidth"]["bytes_per_second"] == pytest.approx(
            result["bytes"] / result["window_seconds"], rel=1e-3)


def check_suite(b, server, path, timeout):
    code, report, stderr = run_suite(b, server, path.read_text(), timeout)
    wrong = [f"{failure['test']}: {failure['error']['message']}" for failure in report.get("failures", [])]
    for result in report["results"]:
        try:
            check_result(report, result)
        except (AssertionError, KeyError) as error:
            plan = report["plan"]["tests"][result["plan_index"]]
            wrong.append(f"{plan['test']} {plan['queue']} at {result['message_bytes']} B: {error!r}")
    assert not wrong, "\n".join(wrong)
    assert code == 0, stderr
    assert {result["plan_index"] for result in report["results"]} == set(range(len(report["plan"]["tests"])))
    return report


@pytest.mark.sanitizer
def test_every_op_on_every_queue_pair_type(b, server):
    report = check_suite(b, server, SUITES / "plain.json", 400)
    assert len(report["plan"]["tests"]) == 26


@pytest.mark.sanitizer
def test_every_message_is_what_was_sent(b, server):
    report = check_suite(b, server, SUITES / "verify.json", 400)
    assert len({(result["test"], result["qp_type"]) for result in report["results"]}) == 26
    for result in report["results"]:
        verification = result["verification"]
        assert verification["bad_messages"] == 0
        if result["qp_type"] == "rc":
            assert verification["checked_messages"] >= result["messages"]
        else:
            assert verification["checked_messages"] > 0


@pytest.mark.sanitizer
def test_a_case_of_each_shape(b, server):
    check_suite(b, server, COVER, 400)


@pytest.mark.full
@pytest.mark.parametrize("suite", sorted(SUITES.glob("*.json")), ids=lambda path: path.stem)
def test_the_whole_matrix(b, server, suite):
    check_suite(b, server, suite, 1800)


@pytest.mark.parametrize("test, qp_type", [("read_bw", "uc"), ("write_bw", "ud"), ("fetch_add_lat", "uc")])
def test_an_illegal_pair_is_refused_before_anything_is_connected(b, test, qp_type):
    done = b.run("rdmabench", test, "nobody", "-c", qp_type)
    assert done.returncode == 2
    assert test in done.stderr and qp_type in done.stderr and "legal" in done.stderr


def test_send_never_outruns_its_receiver(b, server):
    code, report, stderr = b.test("send_bw", "a", "-p", server.port, "-s", "64", "-D", "2", "-r", "16")
    assert code == 0, stderr
    moved = report["results"][0].get("counters", {})
    assert not [name for side in moved.values() for name in side if "rnr" in name]


def test_a_failing_test_does_not_end_its_suite(b, server):
    suite = """{"defaults": {"run": {"iterations": 64}}, "tests": [
      {"test": "write_bw", "run": {"message_bytes": [64]}},
      {"test": "send_bw", "queue": {"qp_type": "ud"}, "run": {"message_bytes": [4096]}},
      {"test": "read_bw", "run": {"message_bytes": [64]}}]}"""
    code, report, stderr = run_suite(b, server, suite, 60)
    assert code == 1 and report["status"] == "partial"
    assert [result["test"] for result in report["results"]] == ["write_bw", "read_bw"]
    assert [failure["plan_index"] for failure in report["failures"]] == [1]
    assert "4096" in report["failures"][0]["error"]["message"]


def run_events(b, server):
    code, report, stderr = b.test("send_bw", "a", "-p", server.port, "-e", "-b", "-q", "16", "-s", "64", "-n", "64", "-u", "18",
                                  "--peer-timeout", "20", "--stall-timeout", "30")
    assert code == 0, stderr
    for direction in report["results"][0]["traffic"]:
        assert direction["sent"]["messages"] == direction["received"]["messages"] == 64 * 16


@pytest.mark.parametrize("turn", range(10))
def test_events_in_both_directions_over_16_queue_pairs_end(b, server, turn):
    run_events(b, server)


@pytest.mark.full
def test_events_in_both_directions_end_a_hundred_times(b, server):
    for _ in range(100):
        run_events(b, server)


@pytest.mark.full
@pytest.mark.parametrize("op, size", [("write", 64), ("write_imm", 64), ("read", 64), ("send", 64), ("send_imm", 64),
                                      ("fetch_add", None), ("cmp_swap", None)])
def test_100000_messages_have_exact_counts(b, server, op, size):
    code, report, stderr = b.test(f"{op}_bw", "a", "-p", server.port, "-n", "100000", *(["-s", size] if size else []),
                                  "--peer-timeout", "20", timeout=600)
    assert code == 0, stderr
    assert report["results"][0]["messages"] == 100000
    check_result(report, report["results"][0])
