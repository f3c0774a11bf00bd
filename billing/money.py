"""Money: an integer of 1/10 000 currency units everywhere except in pages, the API and files."""

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

from django.db import models
from django.utils.translation import gettext_lazy as _

UNITS: Final = 10_000  # per currency unit
LIMIT: Final = 2**53  # amounts and balances stay below it, because Lua's numbers are doubles

if TYPE_CHECKING:  # Django's fields take type parameters only in their stubs
    _Integer = models.BigIntegerField[int, int]
else:
    _Integer = models.BigIntegerField


class MoneyField(_Integer):
    """A column of money, in units of 1/10 000. SQLite would store decimals as floats."""


class MoneyError(ValueError):
    """The value is not an amount. The text gives the reason in words for the user."""


def parse(text: str | Decimal) -> int:
    """Return the units of an amount in currency units ("12.3456" → 123456).

    Raise MoneyError if it is not a finite number, has more than four decimal places, or is 2^53
    units or more. Signs are kept.
    """
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise MoneyError(_("Enter an amount, such as 12.50.")) from None
    if not value.is_finite():
        raise MoneyError(_("Enter an amount, such as 12.50."))
    if value.adjusted() > 16:
        raise MoneyError(_("This amount is too large."))
    units = value * UNITS
    if units != units.to_integral_value():
        raise MoneyError(_("Use no more than four decimal places."))
    if abs(units) >= LIMIT:
        raise MoneyError(_("This amount is too large."))
    return int(units)


def as_decimal(units: int) -> Decimal:
    """Return the exact amount in currency units, with four decimal places."""
    return Decimal(units).scaleb(-4)


def plain(units: int) -> str:
    """Return the amount in the format of JSON and CSV: "-12.3456"."""
    return format(as_decimal(units), "f")


def check_units(value: Any) -> int:
    """Return `value` if it is an int from 1 to 2^53 - 1. Raise MoneyError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise MoneyError(_("Enter an amount, such as 12.50."))
    if value <= 0:
        raise MoneyError(_("Enter an amount above zero."))
    if value >= LIMIT:
        raise MoneyError(_("This amount is too large."))
    return value
