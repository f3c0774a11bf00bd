"""The judge of the dispatcher's sessions: what it must notice, with logs that the test writes."""

from typing import Any

import pytest

from tests.chaos.dispatch import BrokenDispatchError, Logs, add, judge, untold_of

SESSION = "front-1-0/a-1"


def _line(op: str, at: float, **facts: Any) -> dict[str, Any]:
    return {"op": op, "at": at, **facts}


def _logs(front: list[dict[str, Any]], instance: list[dict[str, Any]]) -> Logs:
    logs = Logs()
    ticks = [_line("tick", at) for at in range(101, 200)]
    for side, lines in (("fronts", front), ("instances", instance)):
        life = sorted([_line("boot", 100.0), *ticks, *lines], key=lambda line: line["at"])
        add(logs, side, 1, life)
    return logs


def _begin(at: float = 110.0) -> dict[str, Any]:
    return _line("begin", at, session=SESSION)


def _over(how: str, at: float = 120.0) -> dict[str, Any]:
    return _line("over", at, session=SESSION, how=how)


def test_a_session_that_its_own_end_ended_is_good() -> None:
    logs = _logs([_begin(), _over("bye")], [_begin(), _over("bye")])
    assert judge(logs) == 1
    assert untold_of(logs) == []


def test_a_session_lost_while_its_instance_lived_is_noticed() -> None:
    logs = _logs([_begin(), _over("instance lost")], [_begin()])
    with pytest.raises(BrokenDispatchError, match="instance lost"):
        judge(logs)


def test_a_number_that_never_came_back_is_noticed() -> None:
    logs = _logs([_begin(), _over("no echo")], [_begin(), _over("no echo")])
    with pytest.raises(BrokenDispatchError, match="no echo"):
        judge(logs)


def test_a_session_of_an_instance_that_died_is_excused() -> None:
    logs = _logs([_begin(), _over("instance lost", 125)], [_begin(), _line("boot", 121.5)])
    assert judge(logs) == 1


def test_one_that_died_long_before_excuses_nothing() -> None:
    logs = _logs([_begin(180), _over("instance lost", 190)], [_line("boot", 121.5), _begin(180.1)])
    with pytest.raises(BrokenDispatchError):
        judge(logs)


def test_a_pause_of_the_instance_is_seen_by_its_missing_ticks() -> None:
    logs = Logs()
    add(logs, "fronts", 1, [_line("boot", 100), _begin(), _over("instance lost", 140)])
    add(
        logs, "instances", 1, [_line("boot", 100), _begin(), _line("tick", 111), _line("tick", 139)]
    )
    assert judge(logs) == 1


def test_numbers_that_came_back_out_of_order_are_noticed_whatever_else_happened() -> None:
    wrong = _line("wrong", 115, session=SESSION, due=3, got=4)
    with pytest.raises(BrokenDispatchError, match="out of order"):
        judge(_logs([_begin(), wrong, _over("bye")], [_begin(), _line("boot", 116.5)]))


def test_a_refused_start_is_no_loss() -> None:
    assert judge(_logs([_begin(), _over("refused: all full")], [])) == 1


@pytest.mark.parametrize("ends", [([], ["bye"]), (["bye"], [])])
def test_an_end_that_was_not_told_is_noticed(ends: tuple[list[str], list[str]]) -> None:
    front, instance = ([_begin(), *map(_over, told)] for told in ends)
    assert untold_of(_logs(front, instance)) == [SESSION]


def test_an_end_that_died_needs_no_telling() -> None:
    logs = _logs([_begin(), _over("bye")], [_begin(), _line("boot", 130.5)])
    assert untold_of(logs) == []
