"""A tariff's prices as checked values: sub-mode → unit price and counting rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from billing.money import LIMIT
from billing.pricing.content import Content
from billing.pricing.modes import CALL, MODES, YUEXIN_UNRESOLVED
from billing.pricing.segments import segments

RULE_LIMIT: Final = 1_000_000  # characters or kB per unit
_KEYS: Final = {"unit_price", "characters_per_unit", "kilobytes_per_unit"}


class TariffError(ValueError):
    """Prices that are not valid. The text says which and why, for the user."""


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a unit of a sub-mode, and what a unit is: without a rule, a message (or SMS)."""

    unit_price: int
    characters_per_unit: int = 0
    kilobytes_per_unit: int = 0

    def count(self, mode: str, content: Content) -> int:
        """Return the number of units of a message with this content, 1 or more."""
        if self.characters_per_unit:
            return max(1, -(-len(content.text_of(mode)) // self.characters_per_unit))
        if self.kilobytes_per_unit:
            return max(1, -(-content.kilobytes_of(mode) // self.kilobytes_per_unit))
        if mode == YUEXIN_UNRESOLVED:
            return segments(content.text_of(mode))
        return 1


Prices = Mapping[str, Price]


def read_prices(raw: object) -> Prices:
    """Return the prices of a stored or given tariff. Raise TariffError for anything unclear.

    A price of 0 is allowed: it is free. A sub-mode that is not named can't be sent.
    """
    if not isinstance(raw, Mapping) or not raw:
        raise TariffError(_("A tariff needs at least one price."))
    return {_mode(name): _price(name, value) for name, value in raw.items()}


def stored(prices: Prices) -> dict[str, dict[str, int]]:
    """Return the prices in the form that the column stores."""
    rows: dict[str, dict[str, int]] = {}
    for mode, price in prices.items():
        row = {"unit_price": price.unit_price}
        if price.characters_per_unit:
            row["characters_per_unit"] = price.characters_per_unit
        if price.kilobytes_per_unit:
            row["kilobytes_per_unit"] = price.kilobytes_per_unit
        rows[mode] = row
    return rows


def _mode(name: object) -> str:
    if name not in MODES:
        raise TariffError(_("Unknown mode: “%s”.") % str(name)[:40])
    return str(name)


def _price(mode: str, raw: object) -> Price:
    if not isinstance(raw, Mapping) or not set(raw) <= _KEYS or "unit_price" not in raw:
        raise TariffError(_("%s: enter a unit price and no more than one counting rule.") % mode)
    price = _integer(mode, raw["unit_price"], 0, LIMIT - 1)
    characters = _integer(mode, raw.get("characters_per_unit", 0), 0, RULE_LIMIT)
    kilobytes = _integer(mode, raw.get("kilobytes_per_unit", 0), 0, RULE_LIMIT)
    if characters and kilobytes:
        raise TariffError(_("%s: count by characters or by kB, not both.") % mode)
    if mode == CALL and (characters or kilobytes):
        raise TariffError(_("Calls can only be charged by interval."))
    return Price(price, characters, kilobytes)


def _integer(mode: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise TariffError(
            _("%(mode)s: enter a whole number from %(least)d to %(most)d.")
            % {"mode": mode, "least": least, "most": most}
        )
    return value
