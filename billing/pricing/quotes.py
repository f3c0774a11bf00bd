"""The quote of a message: the maximum over every sub-mode in which it can be delivered.

Integers only, in units of 1/10 000. A price of 2^53 units or more is refused, not rounded.
"""

from collections.abc import Iterable

from billing.money import LIMIT
from billing.pricing.content import Content
from billing.pricing.tariff import Prices
from billing.wallet import Quote


class PriceError(ValueError):
    """A message without a price. `kind` is a problem type, and the text gives the reason."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def quote(prices: Prices, tariff_id: int, ends: Iterable[str], content: Content) -> Quote:
    """Price a message with a tariff.

    Each sub-mode in which it can be delivered has its own price. The tariff's other sub-modes are
    priced with the same content, in case a report names an unexpected mode. Raise PriceError if a
    mode in which it can be delivered has no price, or a price that is too large.
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
            others[mode] = min(price, LIMIT - 1)  # no more than the quote is ever charged
    return Quote(own, tariff_id, others)


def _price(prices: Prices, mode: str, content: Content) -> int:
    price = prices[mode]
    total = price.unit_price * price.count(mode, content)
    if total >= LIMIT:
        raise PriceError("malformed", f"the price of {mode} is too large")
    return total
