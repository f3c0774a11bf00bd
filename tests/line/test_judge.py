"""The judge of the line sees each broken law, and reports none where there is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.line.judge import BrokenLawError, Logs, judge, read_logs

TTL = 2.0
QUEUE = 1


def visit(name: str, at: int, answer: str, ticket: int = 1, word: str = "") -> dict[str, Any]:
    """Return an answer to a visitor at this millisecond."""
    times = {"t0": at * 1_000, "t1": at * 1_000 + 500}
    return {"v": name, **times, "answer": answer, "ticket": ticket, "queue": QUEUE, "word": word}


def agent(name: int, at: int, *rooms: str, capacity: int = 1, state: str = "online") -> Any:
    """Return an answer to an agent at this millisecond."""
    times = {"t0": at * 1_000, "t1": at * 1_000 + 500}
    has = {"rooms": list(rooms), "used": len(rooms), "capacity": capacity, "queues": [QUEUE]}
    return {"a": name, **times, "state": state, "pending": "", **has}


def judged(*told: dict[str, Any]) -> dict[str, int]:
    logs = Logs()
    for line in told:
        logs.add(json.dumps(line))
    return judge(logs.sort(), TTL)


def test_a_day_without_a_broken_law_is_judged_in_full() -> None:
    assert judged(
        *(visit("a", 0, "waiting", 1), visit("a", 20, "room", 1), visit("a", 60, "ended", 1)),
        *(visit("b", 1, "waiting", 2), visit("b", 30, "waiting", 2), visit("b", 70, "room", 2)),
        *(agent(7, 15, "a"), agent(7, 25, "a"), agent(7, 50), agent(7, 65, "b"), agent(7, 75, "b")),
    ) == {"rooms": 2, "answers": 5, "matches": 2, "free": 1, "ended": 1}


@pytest.mark.parametrize(
    ("law", "told"),
    [
        (
            "law 1: a is with",
            [*(agent(7, at, "a") for at in (0, 50)), *(agent(8, at, "a") for at in (10, 40))],
        ),
        ("law 1: a waits", [agent(7, 0, "a"), agent(7, 50, "a"), visit("a", 20, "waiting")]),
        ("law 2: agent 7 has", [agent(7, 0, "a", "b")]),
        ("law 2: agent 7 is offline", [agent(7, 0, "a", state="offline")]),
        ("law 3", [visit("a", 0, "waiting"), visit("a", 40, "waiting"), agent(7, 20)]),
        (
            "law 4: b was served before a",
            [
                *(visit("a", 0, "waiting", 1), visit("a", 50, "waiting", 1)),
                *(visit("b", 10, "waiting", 2), visit("b", 20, "room", 2)),
            ],
        ),
        ("law 4: a had the places", [visit("a", 0, "waiting", 1), visit("a", 5, "waiting", 2)]),
        ("law 4: a is gone", [visit("a", 0, "waiting"), visit("a", 5, "gone")]),
        ("law 4: a was lost", [visit("a", 0, "waiting"), visit("a", 900, "ended", word="lost")]),
    ],
)
def test_each_broken_law_is_seen(law: str, told: list[dict[str, Any]]) -> None:
    with pytest.raises(BrokenLawError, match=law):
        judged(*told)


def test_what_the_times_do_not_prove_is_not_held_against_the_desk() -> None:
    judged(agent(7, 0, "a"), agent(7, 9_000, "a"), agent(8, 10, "a"), agent(8, 40, "a"))
    judged(visit("a", 0, "waiting"), visit("a", 9_000, "ended", word="lost"))
    judged(visit("a", 0, "waiting"), visit("a", 5_000, "waiting"), agent(7, 20))
    judged(visit("a", 0, "waiting"), visit("a", 40, "waiting"), agent(7, 20, state="paused"))
    judged(visit("a", 0, "ended", word="served"), visit("a", 5, "gone"))
    lost_and_back = [agent(7, 0), agent(7, 2_600, state="offline")]  # it may have had "a" then
    judged(
        *lost_and_back,
        *(visit("a", 1_900, "waiting", 1), visit("a", 2_400, "waiting", 1)),
        *(visit("b", 2_000, "waiting", 2), visit("b", 2_100, "room", 2)),
    )


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(agent(7, 0)) + "\n" + json.dumps(agent(7, 5))[:30])
    assert len(read_logs([path]).agents["7"]) == 1
