"""Promotional credit: granted, revoked, and its form in the wallet and its entries."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from billing.money import check_units
from billing.wallet.building import wallet_command
from billing.wallet.charging import check_id
from billing.wallet.moving import Movement, read_movement
from poolsite.hotpath import Command

MOST_GRANTS: Final = 20  # of one account at a time
_PART = re.compile(r"g(\d+)=(-?\d+)")


@dataclass(frozen=True, slots=True)
class Grant:
    """Promotional credit in a wallet: a promotion's ID, its last µs, its rest."""

    promotion_id: int
    expires_us: int
    left: int


def read_grants(text: str) -> tuple[Grant, ...]:
    """Return the grants in the wallet's field, the first to expire first. Raise ValueError."""
    try:
        return tuple(
            [Grant(*map(int, each.split(","))) for each in text.removesuffix(";").split(";")]
            if text
            else ()
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"not the grants of a wallet: {text!r}") from error


def grants_text(grants: Iterable[Grant]) -> str:
    """Return the field of these grants, in the order in which they are used."""
    ordered = sorted(grants, key=lambda each: (each.expires_us, each.promotion_id))
    return "".join([f"{each.promotion_id},{each.expires_us},{each.left};" for each in ordered])


def read_parts(text: str) -> list[tuple[int, int]]:
    """Return (promotion, units) of "g7=300,g9=-20": what a message took, or an entry moved."""
    return [(int(each[1]), int(each[2])) for each in _PART.finditer(text)]


def parts_text(parts: Iterable[tuple[int, int]]) -> str:
    """Return what a message took of its promotions, in the form of its record."""
    return ",".join([f"g{promotion}={units}" for promotion, units in parts])


def grant(
    slug: str, operation_id: str, promotion_id: int, amount: int, expires_us: int
) -> Command[Movement]:
    """Add promotional credit, once for each operation ID.

    The answer is too many grants if the wallet has 20 already.
    """
    words = (check_id(operation_id), str(promotion_id), str(check_units(amount)), str(expires_us))
    return wallet_command("grant", slug, words, read_movement, operation_id)


def revoke(slug: str, operation_id: str, promotion_id: int, amount: int) -> Command[Movement]:
    """Take the rest of a promotion of `amount`, once for each operation ID."""
    words = (check_id(operation_id), str(promotion_id), str(check_units(amount)))
    return wallet_command("revoke", slug, words, read_movement, operation_id)
