"""A price list as a table: each row has its price, its example and its change."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from billing.models import Tariff
from billing.presentation import MINUS, MODE_LOOKS, amount, exact, mode_word, symbol
from billing.pricing.examples import CONTENT, example
from billing.pricing.modes import CALL, MODES, YUEXIN_UNRESOLVED
from billing.pricing.tariff import Price, Prices, TariffError, read_prices

CALL_SECONDS = 180  # of the example call

NOTES = {
    "native_text": gettext_lazy("Text in the messaging app"),
    "native_card": gettext_lazy("Card with a picture"),
    "native_session": gettext_lazy("Reply in a session"),
    "yuexin_resolved": gettext_lazy("Link shown as a card"),
    "yuexin_unresolved": gettext_lazy("Link shown as plain text"),
    "video": gettext_lazy("Video message"),
    "call": gettext_lazy("Call of a charged pool"),
}


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One sub-mode of a version, compared with the version before."""

    mode: str
    price: Price | None
    was: Price | None
    compared: bool  # whether a version exists before this one
    currency: str
    cells: tuple[Any, Any, Any] = (None, None, None)  # the form's cells, if the list is edited
    intervals: tuple[int, ...] = ()  # the pools' charge intervals in seconds
    rated: bool = False  # calls have rates by destination; this is the price of all others

    @property
    def word(self) -> str:
        """The mode's name."""
        return mode_word(self.mode)

    @property
    def note(self) -> str:
        """A description of the mode."""
        return _("Call to a destination without a rate") if self.rated else str(NOTES[self.mode])

    @property
    def look(self) -> str:
        """The mode's look, as in the charts."""
        return MODE_LOOKS[self.mode] if self.mode != CALL else "other"

    @property
    def counted(self) -> str:
        """What a unit is."""
        return counted(self.mode, self.price, self.intervals)

    @property
    def counted_before(self) -> str:
        """What a unit was, or "" if that is unchanged."""
        before = counted(self.mode, self.was, self.intervals)
        return before if self.price and self.was and before != self.counted else ""

    @property
    def is_changed(self) -> bool:
        """Whether the row differs from the version before."""
        return self.compared and self.price != self.was

    @property
    def price_before(self) -> str:
        """The old unit price, or "" if it is unchanged or there was none."""
        same = self.was is None or (self.price and self.price.unit_price == self.was.unit_price)
        return "" if same or self.was is None else exact(self.was.unit_price)

    @property
    def example(self) -> tuple[str, str]:
        """The cost of the example message, and the calculation."""
        if self.price is None:
            return _("By destination") if self.rated else pgettext("price", "Not sold"), ""
        units = self._units(self.price)
        if not self.price.unit_price:
            return pgettext("price", "Free"), ""
        text = ngettext("%(n)s unit × %(price)s", "%(n)s units × %(price)s", units)
        return symbol(self.currency) + exact(units * self.price.unit_price), text % {
            "n": units,
            "price": exact(self.price.unit_price),
        }

    @property
    def is_single(self) -> bool:
        """Whether the example is one unit, so that its cost is the price."""
        return self.price is not None and self._units(self.price) == 1

    def _units(self, price: Price) -> int:
        """Return the example's units; for a call those of three minutes if it has one interval."""
        if self.mode == CALL and len(self.intervals) == 1:
            return -(-CALL_SECONDS // self.intervals[0])
        return example(self.mode, price).units

    @property
    def change(self) -> tuple[str, bool]:
        """The change as a word or a share of the example's cost, and whether there is one."""
        if not self.compared:
            return "", False
        if not self.is_changed:
            return pgettext("price", "same"), False
        if self.price is None:
            return pgettext("price", "not sold"), True
        if self.was is None:
            return pgettext("price", "new"), True
        return _share(example(self.mode, self.was).cost, example(self.mode, self.price).cost), True

    @property
    def facts(self) -> dict[str, Any]:
        """The data that js/billing/tariff.js needs to show the same while the cells are edited."""
        was = self.was
        rule = was and (was.characters_per_unit or was.kilobytes_per_unit)
        kind = "characters" if was and was.characters_per_unit else "kilobytes"
        return {
            "sold": was is not None,
            "price": str(was.unit_price) if was else "",
            "rule": f"{kind}_per_unit" if rule else "",
            "size": str(rule or ""),
            "counted": counted(self.mode, was, self.intervals),
            "characters": len(CONTENT.text_of(self.mode)),
            "kilobytes": CONTENT.kilobytes_of(self.mode),
            "units": self._units(Price(1)),
        }


def rows_of(
    prices: Prices,
    before: Prices | None,
    currency: str,
    form: Any = None,
    intervals: tuple[int, ...] = (),
    *,
    rated: bool = False,
) -> list[PriceRow]:
    """Return every sub-mode in the order of the books; `form` has the cells of a list to edit.

    `rated`: the version has call rates.
    """
    return [
        PriceRow(
            mode,
            prices.get(mode),
            (before or {}).get(mode),
            before is not None,
            currency,
            form.cells(mode) if form else (None, None, None),
            intervals,
            rated and mode == CALL,
        )
        for mode in MODES
    ]


def prices_or_none(raw: Mapping[str, Any]) -> Prices:
    """Return the prices of a form that may be incomplete, or {} if they cannot be read."""
    try:
        return read_prices(raw)
    except TariffError:
        return {}


def counted(mode: str, price: Price | None, intervals: tuple[int, ...] = ()) -> str:
    """Return what a unit is, as text."""
    if price is not None and price.characters_per_unit:
        return _("Per %s characters") % price.characters_per_unit
    if price is not None and price.kilobytes_per_unit:
        return _("Per %s kB") % price.kilobytes_per_unit
    if mode == YUEXIN_UNRESOLVED:
        return _("Per SMS part")
    if mode != CALL:
        return _("Per message")
    if not intervals:
        return _("Per started interval")
    return _("Per started %(seconds)s s") % {"seconds": " / ".join(map(str, intervals))}


def difference(tariff: Tariff, before: Tariff | None, currency: str) -> str:
    """Describe how a version differs from the one before it, in one line."""
    if before is None:
        return _("First version")
    rows = rows_of(read_prices(tariff.prices), read_prices(before.prices), currency)
    changed = [row for row in rows if row.is_changed]
    if not changed:
        same_rates = tariff.rates_digest == before.rates_digest
        return _("Same prices") if same_rates else _("Other call rates")
    row = changed[0]
    if len(changed) > 1 or row.price is None or row.was is None or not row.price_before:
        count = len(changed)
        return ngettext("%(n)s price differs", "%(n)s prices differ", count) % {"n": count}
    return _("%(mode)s: %(before)s to %(after)s") % {
        "mode": row.word,
        "before": amount(row.was.unit_price, currency),
        "after": amount(row.price.unit_price, currency),
    }


def _share(before: int, after: int) -> str:
    """Return +7.1% or −20.0%, or a word if one of the costs is zero or both are equal."""
    if before == after:
        return _("recounted")
    if not before or not after:
        return _("was free") if not before else pgettext("price", "free")
    share = (Decimal(after - before) * 100 / before).quantize(Decimal("0.1"), ROUND_HALF_UP)
    sign = "+" if share > 0 else MINUS
    return f"{sign}{number_format(abs(share), decimal_pos=1)}%"
