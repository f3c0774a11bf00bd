"""Ways to lend numbers to calls and take them back: what the sides of row 24 have in common."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple, Protocol


class Lent(NamedTuple):
    """A call that runs, and its number."""

    call: int
    number: str


Step = int | Lent
"""A call to begin, by its index, or one to end."""


class Way(Protocol):
    """One way to lend numbers, with its server."""

    def prepare(self) -> None:
        """Do what earlier turns left to do, which is not to be in the next one's cost."""

    def take(self, steps: Sequence[Step]) -> list[Lent]:
        """Do all of it in this order; return what was lent. Raises for a call or hangup refused."""

    def cpu_seconds(self) -> float:
        """Return what the server has used so far."""

    def free(self) -> Iterable[str]:
        """Return the numbers that the next call may get, as the data has them."""


def cpu_us_per_event(way: Way, calls: range, block: int) -> float:
    """Begin all calls, ending each one block later; return the mean of a call and a hangup.

    A block's hangups stand between the calls of the next one.
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
    """Raise unless each of so many new calls has a number that no other call has."""
    assert len(lent) == calls, f"{calls - len(lent)} calls have no number"
    numbers = [each.number for each in (*lent, *running)]
    assert len(set(numbers)) == len(numbers), "a number was lent twice"


def check_all_free(way: Way, numbers: Iterable[str]) -> None:
    """Raise unless each number waits for a call, and once."""
    assert sorted(way.free()) == sorted(numbers), "a number is lost, or stands there twice"
