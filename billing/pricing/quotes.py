"""The quote of a message: the maximum over every sub-mode that it can end in.

Integers only, in units of 1/10 000; a price of 2^53 units or more is refused, not rounded.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from billing.money import LIMIT
from billing.pricing.content import Content
from billing.pricing.tariff import Prices


class PriceError(ValueError):
    """A message that has no price; `kind` is a problem type, the text says why."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Offer:
    """What a message costs by one tariff version.

    prices: each sub-mode that it can end in → its price. others: the rest of the tariff, priced
    with the same content, for a report that names a mode nobody expected. quoted: the maximum of
    `prices`.
    """

    prices: Mapping[str, int]
    quoted: int
    tariff_id: int
    others: Mapping[str, int] = field(default_factory=dict)


def offer(prices: Prices, tariff_id: int, ends: Iterable[str], content: Content) -> Offer:
    """Price a message. PriceError: no price for a mode that it can end in, or too large."""
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
    return Offer(own, max(own.values()), tariff_id, others)


def _price(prices: Prices, mode: str, content: Content) -> int:
    price = prices[mode]
    total = price.unit_price * price.count(mode, content)
    if total >= LIMIT:
        raise PriceError("malformed", f"the price of {mode} is too large")
    return total
