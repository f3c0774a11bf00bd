"""What the sides of row 24 have in common: ways to lend numbers to calls and take them back."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple, Protocol


class Lent(NamedTuple):
    """A running call and its number."""

    call: int
    number: str


Step = int | Lent
"""A call to begin, by its index, or one to end."""


class Way(Protocol):
    """A way to lend numbers, with its server."""

    def prepare(self) -> None:
        """Do the work that earlier turns left, so that it is not in the next turn's cost."""

    def take(self, steps: Sequence[Step]) -> list[Lent]:
        """Do all steps in this order and return what was lent.

        Raise if a call or hangup is refused.
        """

    def cpu_seconds(self) -> float:
        """Return the CPU seconds that the server has used so far."""

    def free(self) -> Iterable[str]:
        """Return the numbers that the next call may get, according to the stored data."""


def cpu_us_per_event(way: Way, calls: range, block: int) -> float:
    """Begin all calls, ending each a block later. Return the mean CPU of a call and a hangup.

    A block's hangups are placed between the calls of the next block.
    """
    before, running = way.cpu_seconds(), list[Lent]()
    for start in range(calls.start, calls.stop, block):
        begun = range(start, min(start + block, calls.stop))
        lent = way.take(_in_turn(begun, running))
        check_lent_once(lent, running, len(begun))
        running = lent
    way.take(running)
    return (way.cpu_seconds() - before) * 1e6 / (2 * len(calls))


def _in_turn(calls: Iterable[int], ended: Iterable[Lent]) -> list[Step]:
    return [step for pair in zip_longest(calls, ended) for step in pair if step is not None]


def check_lent_once(lent: Sequence[Lent], running: Sequence[Lent], calls: int) -> None:
    """Raise unless each of `calls` new calls has a number that no other call has."""
    assert len(lent) == calls, f"{calls - len(lent)} calls have no number"
    numbers = [each.number for each in (*lent, *running)]
    assert len(set(numbers)) == len(numbers), "a number was lent twice"


def check_all_free(way: Way, numbers: Iterable[str]) -> None:
    """Raise unless each number waits for a call exactly once."""
    assert sorted(way.free()) == sorted(numbers), "a number is lost, or stands there twice"
