"""The quote of a message: the maximum over every sub-mode that it can end in.

Integers only, in units of 1/10 000; a price of 2^53 units or more is refused, not rounded.
"""

from collections.abc import Iterable

from billing.money import LIMIT
from billing.pricing.content import Content
from billing.pricing.tariff import Prices
from billing.wallet import Quote


class PriceError(ValueError):
    """A message that has no price; `kind` is a problem type, the text says why."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def quote(prices: Prices, tariff_id: int, ends: Iterable[str], content: Content) -> Quote:
    """Price a message by one tariff version.

    Each sub-mode that it can end in has a price of its own; the rest of the tariff is priced
    with the same content, for a report that names a mode nobody expected. PriceError: no price
    for a mode that it can end in, or too large a one.
    """
    ends = tuple(ends)
    missing = [mode for mode in ends if mode not in prices]
    if missing:
        raise PriceError("no-tariff", f"the tariff has no price for {missing[0]}")
    own = {mode: _price(prices, mode, content) for mode in ends}
    others = {}
    for mode in prices:
        if mode not in own:
            price = prices[mode].unit_price * prices[mode].count(mode, content)
            others[mode] = min(price, LIMIT - 1)  # at most the quote is ever taken of it
    return Quote(own, tariff_id, others)


def _price(prices: Prices, mode: str, content: Content) -> int:
    price = prices[mode]
    total = price.unit_price * price.count(mode, content)
    if total >= LIMIT:
        raise PriceError("malformed", f"the price of {mode} is too large")
    return total
