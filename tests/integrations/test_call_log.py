"""The judge of the switches' own log must see every overlap, and report none without one."""

import json
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from integrations.simulator.call_log import CallLog, Overlap, end_open_calls, find_overlaps


def line(at: int, op: str, call: str, number: str = "1") -> str:
    return json.dumps({"at_us": at, "op": op, "switch": "s", "number": number, "call_id": call})


def test_calls_one_after_the_other_do_not_overlap() -> None:
    log = [line(1, "begin", "a"), line(2, "end", "a"), line(2, "begin", "b"), line(9, "end", "b")]
    assert find_overlaps(reversed(log)) == []


def test_two_calls_at_once_on_one_number_are_found_across_logs() -> None:
    one = [line(1, "begin", "a"), line(5, "end", "a")]
    two = [line(4, "begin", "b"), line(6, "end", "b")]
    assert find_overlaps(one + two) == [Overlap("1", "a", "b", 4)]


def test_two_calls_at_once_on_two_numbers_are_no_overlap() -> None:
    log = [line(1, "begin", "a", "1"), line(1, "begin", "b", "2"), line(2, "end", "a", "1")]
    assert find_overlaps(log) == []


def test_a_call_that_never_ended_holds_its_number() -> None:
    assert find_overlaps([line(1, "begin", "a"), line(10**9, "begin", "b")])


spans = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 20), st.sampled_from("12")), max_size=12
)


@given(spans)
def test_the_judge_agrees_with_comparing_neighbours(calls: list[tuple[int, int, str]]) -> None:
    log, by_number = [], {"1": [], "2": []}
    for index, (start, length, number) in enumerate(calls):
        log += [line(start, "begin", str(index), number)]
        log += [line(start + length, "end", str(index), number)]
        by_number[number].append((start, start + length))
    expected = any(
        first[1] > second[0]
        for its in by_number.values()
        for first, second in pairwise(sorted(its))
    )
    assert bool(find_overlaps(log)) is expected


def test_the_calls_of_a_killed_switch_are_ended_for_it(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    log = CallLog(path)
    log.begin(switch="s", number="1", call_id="a")
    log.end(switch="s", number="1", call_id="a")
    log.begin(switch="s", number="2", call_id="b")
    log.close()
    assert end_open_calls(path) == 1
    assert end_open_calls(path) == 0
    records = [json.loads(text) for text in path.read_text().splitlines()]
    assert [(r["op"], r["call_id"]) for r in records][-1] == ("end", "b")


def test_a_switch_that_never_called_has_no_open_calls(tmp_path: Path) -> None:
    assert end_open_calls(tmp_path / "none.jsonl") == 0
