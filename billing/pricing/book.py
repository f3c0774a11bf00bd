"""The tariffs of an account as values, and the one that is valid at a time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from billing.pricing.content import Content
from billing.pricing.quotes import PriceError, quote
from billing.pricing.tariff import Prices
from billing.wallet import Quote


@dataclass(frozen=True, slots=True)
class Version:
    """A tariff, valid in [valid_from, valid_until).

    `rates_digest`: the digest of its call rates, or "" if it has none.
    """

    tariff_id: int
    valid_from: datetime
    valid_until: datetime | None
    prices: Prices
    rates_digest: str = ""

    def holds(self, at: datetime) -> bool:
        """Whether the tariff is valid at this time."""
        return self.valid_from <= at and (self.valid_until is None or at < self.valid_until)


@dataclass(frozen=True, slots=True)
class Book:
    """The tariffs of an account, which never overlap."""

    versions: tuple[Version, ...] = ()

    def at(self, moment: datetime) -> Version | None:
        """Return the tariff that is valid at this time, or None."""
        return next((version for version in self.versions if version.holds(moment)), None)

    def quote(self, ends: Iterable[str], content: Content, at: datetime) -> Quote:
        """Return the price of a message. Raise PriceError `no-tariff` or `malformed`."""
        version = self.at(at)
        if version is None:
            raise PriceError("no-tariff", "no tariff is valid now")
        return quote(version.prices, version.tariff_id, ends, content)


def gaps(
    spans: Iterable[tuple[datetime, datetime | None]], since: datetime
) -> list[tuple[datetime, datetime | None]]:
    """Return the periods after `since` without a valid tariff. An end of None means no end.

    `spans`: [from, until) of every tariff, in any order, without overlaps.
    """
    found: list[tuple[datetime, datetime | None]] = []
    covered: datetime | None = since
    for starts, ends in sorted(spans, key=lambda span: span[0]):
        if covered is None:
            break
        if ends is not None and ends <= covered:
            continue
        if starts > covered:
            found.append((covered, starts))
        covered = ends
    if covered is not None:
        found.append((covered, None))
    return found
