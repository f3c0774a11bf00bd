"""The judge of what was acknowledged sees each loss, with journals and rows made for it."""

from collections import Counter
from typing import Any

import pytest

from tests.chaos import acknowledged

LISTS: list[dict[str, Any]] = [
    {"op": "listed", "switch": "s", "at_us": at * 2_000_000} for at in range(10)
]
BEGIN = {"op": "begin", "switch": "s", "number": "+1", "call_id": "a", "at_us": 1_000_000}
END = {**BEGIN, "op": "end", "at_us": 9_000_000}
TOLD = {"answered": True, "talk_seconds": 7, "cause": "16"}
RELEASED = {**END, "op": "released", "told": TOLD, "reason": ""}
CALL = [*LISTS, BEGIN, END, RELEASED]
ROW = ("a", "+1", "hangup", True, 7)


def calls(lines: Any, *rows: Any) -> str:
    return acknowledged.wrong_calls(list(lines), rows, Counter())


def test_a_call_as_it_was_told_is_right() -> None:
    counted: Counter[str] = Counter()
    assert acknowledged.wrong_calls(CALL, [ROW], counted) == ""
    assert counted == {"calls": 1, "hang-ups": 1}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "in SQL"),
        ([ROW, ROW], "in SQL"),
        ([("a", "+2", "hangup", True, 7)], "with +1"),
        ([("a", "+1", "released: not in live list", True, 7)], "the hang-up"),
        ([("a", "+1", "hangup", False, 7)], "the hang-up"),
        ([("a", "+1", "hangup", True, None)], "the hang-up"),
        ([("a", "+1", "released: lease ended", None, None)], "by its lease"),
    ],
)
def test_a_call_that_is_lost_doubled_or_other_than_told_is_found(rows: Any, said: str) -> None:
    assert said in calls(CALL, *rows)


def test_a_lease_may_end_the_call_of_a_switch_that_was_silent() -> None:
    silent = [told for told in LISTS if not 2_000_000 < told["at_us"] < 10_000_000]
    ended = ("a", "+1", "released: lease ended", None, None)
    assert calls([*silent, BEGIN, END], ended) == ""
    assert "by its lease" in calls([*LISTS, BEGIN, END], ended)


def test_a_hang_up_that_came_again_proves_nothing() -> None:
    again = {**RELEASED, "reason": "repeat"}
    assert calls([BEGIN, END, again], ("a", "+1", "released: not in live list", None, None)) == ""


VISIT = [
    {"v": "x", "answer": "waiting", "word": ""},
    {"did": "visitor said", "visit": "x", "word": None},
    {"did": "agent said", "visit": "x", "word": None},
    {"did": "finished", "visit": "x", "word": None},
    {"v": "x", "answer": "ended", "word": "served"},
    {"did": "left", "visit": "y", "word": "left"},
]
SAID = {("x", "visitor"): 1, ("x", "agent"): 1}
ENDS = {"x": "served", "y": "left"}


@pytest.mark.parametrize(
    ("ends", "said", "wrong"),
    [
        (ENDS, SAID, ""),
        ({"y": "left"}, SAID, "an agent finished x"),
        ({**ENDS, "x": ""}, SAID, "an agent finished x"),
        ({**ENDS, "x": "visitor lost"}, SAID, "x was told 'served'"),
        ({**ENDS, "y": "lost"}, SAID, "y was told 'left'"),
        (ENDS, {("x", "agent"): 1}, "visitor said in x"),
        (ENDS, {("x", "visitor"): 1}, "agent said in x"),
    ],
)
def test_a_visit_whose_end_or_words_are_lost_is_found(ends: Any, said: Any, wrong: str) -> None:
    found = acknowledged.wrong_visits(VISIT, ends, said, Counter())
    assert wrong in found
    assert bool(found) == bool(wrong)


TASK = [
    {"op": "task", "device": "d", "task": "speed-025.4", "token": 9},
    {"op": "result", "device": "d", "task": "speed-025.4", "token": 9, "ok": True}
    | {"word": "accepted"},
]
ISSUED = ("issued", "@d", 9)


@pytest.mark.parametrize(
    ("events", "states", "wrong"),
    [
        ([ISSUED], {4: "done"}, ""),
        ([], {4: "done"}, "a task was given"),
        ([ISSUED, ISSUED], {4: "done"}, "a task was given"),
        ([ISSUED], {4: "pending"}, "a result was accepted"),
        ([ISSUED], {4: "failed"}, "a result was accepted"),
        ([ISSUED], {}, "a result was accepted"),
    ],
)
def test_a_task_or_result_that_is_lost_is_found(events: Any, states: Any, wrong: str) -> None:
    found = acknowledged.wrong_tasks(TASK, Counter(events), states, Counter())
    assert wrong in found
    assert bool(found) == bool(wrong)


GRANTED = {"op": "granted", "holder": "h", "token": 5}
PERMIT = [GRANTED, {**GRANTED, "op": "released"}]
EVENTS = [("granted", "h", 5), ("released", "h", 5)]


@pytest.mark.parametrize(
    ("lines", "events", "wrong"),
    [
        (PERMIT, EVENTS, ""),
        (PERMIT, EVENTS[:1], "was released"),
        (PERMIT, EVENTS[1:], "was granted"),
        ([*PERMIT, {**GRANTED, "holder": "i"}], [*EVENTS, ("granted", "i", 5)], "two"),
    ],
)
def test_a_permit_that_is_lost_or_has_two_holders_is_found(
    lines: Any, events: Any, wrong: str
) -> None:
    found = acknowledged.wrong_permits(lines, Counter(events), Counter())
    assert wrong in found
    assert bool(found) == bool(wrong)


@pytest.mark.parametrize(("status", "wrong"), [(503, ""), (429, ""), (504, ""), (500, "500")])
def test_only_a_refusal_without_a_reason_is_wrong(status: int, wrong: str) -> None:
    visitors = [{"refused": status, "path": "visits/x/beat"}]
    machines = [{"op": "refused", "status": status}]
    for found in (
        acknowledged.wrong_visits(visitors, {}, {}, Counter()),
        acknowledged.wrong_tasks(machines, Counter(), {}, Counter()),
        acknowledged.wrong_permits(machines, Counter(), Counter()),
    ):
        assert wrong in found
        assert bool(found) == bool(wrong)
