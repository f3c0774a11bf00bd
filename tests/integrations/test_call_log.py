"""The judge of the switches' own log sees what it must see, and nothing else."""

import json

from integrations.simulator.call_log import CallLog, find_overlaps


def line(at_us, operation, number, call_id):
    return json.dumps(
        {"at_us": at_us, "op": operation, "switch": "s", "number": number, "call_id": call_id}
    )


def test_calls_one_after_the_other_do_not_overlap():
    lines = [
        line(1, "begin", "100", "a"),
        line(2, "end", "100", "a"),
        line(2, "begin", "100", "b"),
        line(3, "end", "100", "b"),
    ]
    assert find_overlaps(lines) == []


def test_two_calls_on_one_number_at_once_are_named_whatever_the_order_of_the_lines():
    lines = [
        line(5, "end", "100", "a"),
        line(1, "begin", "100", "a"),
        line(3, "begin", "100", "b"),
        line(9, "end", "100", "b"),
    ]
    (overlap,) = find_overlaps(lines)
    assert (overlap.number, overlap.first_call_id, overlap.second_call_id) == ("100", "a", "b")
    assert overlap.at_us == 3


def test_other_numbers_do_not_disturb():
    assert find_overlaps([line(1, "begin", "100", "a"), line(2, "begin", "101", "b")]) == []


def test_the_log_that_a_switch_writes_is_the_log_that_the_judge_reads(tmp_path):
    log = CallLog(tmp_path / "deep" / "calls.log")
    log.begin(switch="s", number="100", call_id="a")
    log.begin(switch="s", number="100", call_id="b")
    log.end(switch="s", number="100", call_id="a")
    log.close()
    overlaps = find_overlaps((tmp_path / "deep" / "calls.log").read_text().splitlines())
    assert [(o.first_call_id, o.second_call_id) for o in overlaps] == [("a", "b")]
