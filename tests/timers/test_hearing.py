"""Since when people can be heard, from reads of the web processes' mark."""

import pytest

from poolsite.timers import hearing
from poolsite.timers.hearing import Hearing


class Pace:
    """The process's own clock, set by hand."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def pace(monkeypatch: pytest.MonkeyPatch) -> Pace:
    found = Pace()
    monkeypatch.setattr(hearing, "pace", found)
    return found


def look(heard: Hearing, pace: Pace, at: float, web_lives: bool = True) -> int | None:
    pace.now = at
    heard.note(1_000 + at, web_lives)
    return heard.since_ms


def test_nobody_is_heard_before_the_first_look_and_from_then_on_without_a_break(pace: Pace) -> None:
    heard = Hearing()
    assert heard.since_ms is None
    assert [look(heard, pace, at) for at in (100.0, 101.0, 103.5)] == [1_100_000] * 3


def test_a_web_process_that_is_back_is_heard_since_then(pace: Pace) -> None:
    heard = Hearing()
    look(heard, pace, 100.0)
    assert look(heard, pace, 101.0, web_lives=False) is None
    assert look(heard, pace, 102.0) == 1_102_000
    assert look(heard, pace, 103.0) == 1_102_000


def test_a_clock_that_was_ahead_says_nothing_of_the_future(pace: Pace) -> None:
    heard = Hearing()
    look(heard, pace, 100.0)
    heard.interrupt()
    heard.note(4_700.0)
    assert look(heard, pace, 101.0) == 1_101_000


def test_a_redis_that_does_not_answer_hears_nobody(pace: Pace) -> None:
    heard = Hearing()
    look(heard, pace, 100.0)
    pace.now = 103.1
    assert heard.since_ms is None
    assert look(heard, pace, 109.0) == 1_109_000


def test_only_a_process_that_looks_goes_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "_hearing", None)
    assert hearing.heard_since_ms() == 0
    hearing.begin()
    assert hearing.heard_since_ms() is None
