"""How the audit log writes money and prices."""

from typing import Any

from billing import presentation
from poolsite.console.sentences import Reading, plain


def money(value: Any, reading: Reading) -> str:
    """Write units of 1/10 000 in the currency of the entry's account: ¥2,000.00."""
    if isinstance(value, bool) or not isinstance(value, int):
        return plain(value, reading)
    return presentation.amount(value, reading.currency)


def prices(value: Any, reading: Reading) -> str:
    """Write each sub-mode with its unit price."""
    if not isinstance(value, dict):
        return plain(value, reading)
    rows = [
        f"{presentation.mode_word(mode)} {money(price.get('unit_price'), reading)}"
        for mode, price in value.items()
        if isinstance(price, dict)
    ]
    return plain(rows, reading)
