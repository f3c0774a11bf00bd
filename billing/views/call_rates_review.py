"""The changes that a file of call rates would make."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from billing.call_words import times_words
from billing.pricing.calls import Rate
from billing.services.tariffs import Preview

SHOWN = 50  # changes that are listed one by one


@dataclass(frozen=True, slots=True)
class RateChange:
    """A rate that exists before, after, or both with different prices."""

    before: Rate | None
    after: Rate | None

    @property
    def rate(self) -> Rate:
        """The rate that is valid afterwards, or the one that is removed."""
        found = self.after or self.before
        if found is None:
            raise ValueError("a change has a rate")
        return found

    @property
    def kind(self) -> str:
        """new, gone or changed."""
        if self.before is None:
            return "new"
        return "gone" if self.after is None else "changed"

    @property
    def times(self) -> str:
        """When the rate is valid, as text."""
        return times_words(self.rate)


@dataclass(frozen=True, slots=True)
class Review:
    """The version to publish, and how its rates differ: the first SHOWN `changes`."""

    preview: Preview
    changes: Sequence[RateChange]
    new: int
    changed: int
    gone: int
    same: int

    @property
    def more(self) -> int:
        """The number of changes that are not listed."""
        return self.new + self.changed + self.gone - len(self.changes)


def review_of(preview: Preview, before: Sequence[Rate], after: Sequence[Rate]) -> Review:
    """Compare the rates of each prefix and time."""
    changes = sorted(_changes(before, after), key=lambda change: change.rate.prefix)
    kinds = [change.kind for change in changes]
    new, changed, gone = (kinds.count(kind) for kind in ("new", "changed", "gone"))
    return Review(preview, changes[:SHOWN], new, changed, gone, len(after) - new - changed)


def _changes(before: Sequence[Rate], after: Sequence[Rate]) -> Iterator[RateChange]:
    old = {_key(rate): rate for rate in before}
    for rate in after:
        was = old.pop(_key(rate), None)
        if was is None or _facts(was) != _facts(rate):
            yield RateChange(was, rate)
    for rate in old.values():
        yield RateChange(rate, None)


def _key(rate: Rate) -> tuple[str, int, int, int]:
    return rate.prefix, rate.days, rate.from_minute, rate.until_minute


def _facts(rate: Rate) -> tuple[str, int, int, int, int]:
    return rate.destination, rate.price, rate.first, rate.increment, rate.fee
