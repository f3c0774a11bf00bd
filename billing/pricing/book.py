"""The tariff versions of one account as values: which is valid at a moment."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from billing.pricing.content import Content
from billing.pricing.quotes import PriceError, quote
from billing.pricing.tariff import Prices
from billing.wallet import Quote


@dataclass(frozen=True, slots=True)
class Version:
    """One tariff version, valid in [valid_from, valid_until).

    rates_digest: of its call rates; "" = it has none.
    """

    tariff_id: int
    valid_from: datetime
    valid_until: datetime | None
    prices: Prices
    rates_digest: str = ""

    def holds(self, at: datetime) -> bool:
        """Whether it is valid at that moment."""
        return self.valid_from <= at and (self.valid_until is None or at < self.valid_until)


@dataclass(frozen=True, slots=True)
class Book:
    """Versions of one account, none valid at the same time as another."""

    versions: tuple[Version, ...] = ()

    def at(self, moment: datetime) -> Version | None:
        """The version that is valid then."""
        return next((version for version in self.versions if version.holds(moment)), None)

    def quote(self, ends: Iterable[str], content: Content, at: datetime) -> Quote:
        """Price a message. PriceError `no-tariff`, `malformed`."""
        version = self.at(at)
        if version is None:
            raise PriceError("no-tariff", "no tariff is valid now")
        return quote(version.prices, version.tariff_id, ends, content)


def gaps(
    spans: Iterable[tuple[datetime, datetime | None]], since: datetime
) -> list[tuple[datetime, datetime | None]]:
    """The times after `since` in which no version is valid; an end of None is for ever.

    spans: [from, until) of every version, in any order, none at the same time as another.
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
